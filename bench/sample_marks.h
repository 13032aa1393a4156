// SPDX-License-Identifier: Apache-2.0
// Marks samples far below the usual clock. They are shown, but left out of the median.
#pragma once
#include <vector>

#include "db/medians.h"
#include "db/records.h"
#include "profiler/timer.h"

namespace culprit {

// A sample below this share of the usual clock is marked. Undisturbed samples of a kernel on an H100 stay within 0.5 %
// of their median clock (docs/evidence/noise.md), so 5 % is ten times the noise.
inline constexpr double kLowClockShare = 0.95;

// Keeps the order. All samples get repetition 0. The usual clock is the median of the known clocks. A sample without a
// clock is never marked.
std::vector<Sample> Mark(const std::vector<TimedSample>& timed);

// The median of the unmarked samples in microseconds; NaN without any.
double MedianTime(const std::vector<Sample>& samples);

}  // namespace culprit
