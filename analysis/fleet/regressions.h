// SPDX-License-Identifier: Apache-2.0
// What became slower lately, over all kernels, GPU models and branches of a server.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/fleet/trend.h"
#include "db/fleet/fleet.h"

namespace culprit {

// The accepted share of false ones among all steps that are announced.
inline constexpr double kFalseShare = 0.05;

struct Regression {
  FleetSeries series;        // `of` is empty for the whole work of a workload
  bool of_workload = false;  // the sum over all kernels, in which new ones count
  TrendStep step;
  FleetRunSummary before, after;  // the runs beside the step
  std::optional<double> cost_us;  // of all calls of an execution; none: not measured
  bool is_moved = false;          // the cost only moved there, so it is no regression

  bool Counts() const { return !is_moved && step.step.change > 0; }
};

struct Regressions {
  std::string since;
  std::size_t series = 0, too_short = 0;  // with a run since then; of these, with too few runs to judge
  double level = 0;                       // ScreeningLevel
  std::size_t runs = 0;                   // since then
  std::vector<Regression> found;          // the dearest first; those that moved last
  std::size_t faster = 0;                 // kernels that became faster
};

// Asks the server only about kernels that changed.
Regressions FindRegressions(const FleetWindow& window, const std::string& since, Fleet& fleet);

// The part that needs no server: steps that began or became known since window.first_new, by class and GPU and branch. `level` and the counts of the
// answer are filled; each found one has its class's id and the indices of its runs in the window.
struct FoundStep {
  std::int32_t class_id = 0;      // 0: the work of a workload
  std::vector<std::size_t> runs;  // of its series, indices in window.runs
  TrendStep step;                 // indices in `runs`
};
std::vector<FoundStep> StepsIn(const FleetWindow& window, Regressions& answer);

}  // namespace culprit
