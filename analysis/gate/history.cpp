// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "analysis/gate/comparable.h"
#include "analysis/judge/difference/shift.h"
#include "analysis/launch/machine.h"
#include "analysis/launch/recording.h"
#include "analysis/number/statistics.h"

namespace culprit {
namespace {

constexpr double kWrong = 0.01;  // The accepted share of false alarms among histories without a change.

bool HaveClocks(const TimedValues& values) {
  return !values.times.empty() && values.cycles.size() == values.times.size();
}

// One of each process where there are several, else of each sample. Cycles of a process count where each of its samples
// has a clock.
TimedValues ValuesOf(const KernelRecord& kernel) {
  std::map<int, TimedValues> by_process = ValuesByProcess(kernel.samples);
  const bool as_one = by_process.size() > 1;
  for (auto& [process, values] : by_process)
    if (as_one && !HaveClocks(values)) values.cycles.clear();
  return Together(by_process, as_one);
}

double FloorOf(const KernelRecord& kernel, double us, bool by_cycles) {
  const NoiseFloor floor = NoiseFloorOf(kernel.run.run, us);
  return by_cycles ? floor.change : floor.OfTime();
}

}  // namespace

int History::Changes() const { return points.empty() ? 0 : points.back().segment; }

History MakeHistory(std::vector<KernelRecord> kernels, const std::vector<int>& executions, const Explainer& explain,
                    bool other_gpu) {
  History history;
  if (kernels.empty()) return history;
  history.stage = kernels.back().stage.id;
  history.shape = kernels.back().launch.shape;
  const RunRecord newest = kernels.back().run.run;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelRecord& kernel = kernels[i];
    std::string why_not = WhyNotComparable(kernel.run.run, newest, other_gpu);
    if (why_not.empty() && ValuesOf(kernel).times.empty()) why_not = "It was not timed.";
    if (!why_not.empty()) {
      history.left_out.push_back(fmt::format("Run {} is left out. {}", ShortUuid(kernel.run.run), why_not));
      continue;
    }
    HistoryPoint& point = history.points.emplace_back();
    point.kernel = std::move(kernel);
    point.executions = i < executions.size() ? executions[i] : 1;
    point.median_us = KernelView(point.kernel).Get("time_us");
  }
  const std::size_t comparisons = std::max<std::size_t>(history.points.size(), 2) - 1;
  history.confidence = 1 - kWrong / static_cast<double>(comparisons);
  std::map<int, TimedValues> since;  // the last change, by point
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    HistoryPoint& point = history.points[i];
    const TimedValues values = ValuesOf(point.kernel), before_it = Together(since, false);
    if (i > 0) {
      const HistoryPoint& before = history.points[i - 1];
      point.segment = before.segment;
      point.by_cycles = HaveClocks(before_it) && HaveClocks(values);
      const auto shift = point.by_cycles ? EstimateShift(before_it.cycles, values.cycles, history.confidence)
                                         : EstimateShift(before_it.times, values.times, history.confidence);
      const double us = std::min(point.median_us.value_or(0), before.median_us.value_or(0));
      if (shift) point.change = Widened(*shift, FloorOf(point.kernel, us, point.by_cycles));
      point.is_change = point.change && (point.change->low > 0 || point.change->high < 0);
      if (point.is_change) {
        ++point.segment;
        since.clear();
        point.explanation = explain(KernelView(before.kernel), KernelView(point.kernel));
      }
    }
    since[static_cast<int>(i)] = values;
  }
  return history;
}

}  // namespace culprit
