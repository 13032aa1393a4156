// SPDX-License-Identifier: Apache-2.0
// Which samples of one launch count: those taken far below the usual clock are marked, shown, and left out of the
// median.
#pragma once
#include <vector>

#include "db/medians.h"
#include "db/records.h"
#include "profiler/timer.h"

namespace culprit {

// Below this share of the usual clock a sample is marked. Undisturbed samples of one kernel on an H100 stay within 0.5
// % of their median clock (docs/noise.md), so 5 % is ten times the noise.
inline constexpr double kLowClockShare = 0.95;

// In the order given, repetition 0. The usual clock is the median of the clocks that are known; a sample without a
// clock is never marked.
std::vector<Sample> Mark(const std::vector<TimedSample>& timed);

// Of the samples that are not marked, in microseconds; NaN of none.
double MedianTime(const std::vector<Sample>& samples);

}  // namespace culprit
