// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "profiler/collector.h"

namespace culprit {

// One reading per metric, in the order of the first repetition: the median over the repetitions that read it (of an
// even number the mean of the two in the middle), else the status that the first one gave.
std::vector<Reading> Medians(const Repetitions& repetitions);

}  // namespace culprit
