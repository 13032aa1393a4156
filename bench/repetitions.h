// SPDX-License-Identifier: Apache-2.0
// Collecting the same launches several times: how much a counter varies is known only from that.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "profiler/collector.h"

namespace culprit {

// What one launch read: one list of readings per repetition, in order.
using Repetitions = std::vector<std::vector<Reading>>;

// Collects all of `work` `repetitions` times (1 or more), one after the other, so that the repetitions of a launch are
// as far apart as the whole of `work`. A Repetitions per piece of work. `warn` hears of what went wrong in each.
std::vector<Repetitions> CollectRepeatedly(Collector& collector, std::span<const Counted> work, int repetitions,
                                           const std::function<void(const Warning&)>& warn);

// One reading per metric, in the order of the first repetition: the median over the repetitions that read it (of an
// even number the mean of the two in the middle), else the status that the first one gave.
std::vector<Reading> Medians(const Repetitions& repetitions);

}  // namespace culprit
