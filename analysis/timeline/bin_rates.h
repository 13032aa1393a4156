// SPDX-License-Identifier: Apache-2.0
// Rates of a GPU's units over the time of a program.
#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "analysis/timeline/unit_rates.h"
#include "db/timeline.h"

namespace culprit {

// The GPUs of which the timeline has anything.
std::set<int> GpusOf(const TimelineRecord& timeline);

// Some counters count in turns, so a part of the time says nothing about them.
struct RateSeries {
  const UnitRate* rate = nullptr;
  const TimelineTurn* turn = nullptr;            // of TimelineRecord::turns
  std::vector<std::optional<double>> bins = {};  // none: not measured
  double covered = 0;                            // the share of the time in which it was measured
};

// The rates that a GPU's counters give, in the order of UnitRates. A rate that several turns give is taken from the one
// that covers most. `timeline` must outlive the result.
std::vector<RateSeries> RatesOf(const TimelineRecord& timeline, int gpu, const Device& device);

// The rate over the bins [first, end), from their sums. None: not measured in any of them.
std::optional<double> RateOver(const RateSeries& series, std::size_t first, std::size_t end, const Device& device);

}  // namespace culprit
