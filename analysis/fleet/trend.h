// SPDX-License-Identifier: Apache-2.0
// One kernel over months on a server: lasting steps of its time, and what else changed at each.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/fleet/change_points.h"
#include "analysis/fleet/moved.h"
#include "db/fleet/fleet.h"

namespace culprit {

struct TrendStep {
  Step step;
  std::size_t before = 0, after = 0;   // indices of runs: the last before it, and the first behind it
  double before_us = 0, after_us = 0;  // median of the medians since the last step, and until the next one
  // "driver 580.1 -> 580.2", "another card": other changes between `before` and `after`. Any of them may be the reason.
  std::vector<std::string> also;
  FleetVerdict judged;               // of the first run behind it that has a cause in the step's direction; else empty
  std::optional<CostOrigin> origin;  // if the kernel became slower, and totals are known
};

struct Trend {
  FleetHistory history;
  bool by_cycles = false;  // all points have a clock, so cycles are compared
  double level = 0;        // FleetLevel
  std::vector<TrendStep> steps;
  std::optional<Drift> drift;
};

// Logarithms of cycles if all points have clocks, else of times.
struct TrendValues {
  std::vector<double> logs;
  bool by_cycles = false;
  double noise = 0;  // NoiseBetweenRuns
};
TrendValues ValuesOf(std::span<const double> median_us, std::span<const double> clock_mhz, const std::string& gpu);

// The days on which runs started, for FindSteps. Empty if one has no time.
std::vector<double> DaysOf(std::span<const FleetRunSummary> runs);

// What changed besides the code: driver, CUDA, card.
std::vector<std::string> OtherChanges(const FleetRunSummary& before, const FleetRunSummary& after);

// Each kernel's total time in a run.
using Costs = std::function<std::vector<Fleet::ClassTime>(const FleetRunSummary& run)>;
// Where the cost of a class came from, by the runs around a step; the median of up to three on each side counts.
CostOrigin WhereCameFrom(std::span<const FleetRunSummary> before, std::span<const FleetRunSummary> after,
                         const FleetClass& of, const std::string& gpu, const Costs& costs);

Trend MakeTrend(FleetHistory history, const Costs& costs);

}  // namespace culprit
