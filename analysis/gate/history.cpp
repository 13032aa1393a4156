// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/gate/comparable.h"
#include "analysis/kernel/recording.h"
#include "analysis/machine/machine.h"
#include "analysis/number/statistics.h"
#include "analysis/verdict/interval.h"

namespace culprit {
namespace {

constexpr double kWrong = 0.01;  // of histories without a change

// One of each process where there are several, else of each sample.
struct Values {
  std::vector<double> times, cycles;  // cycles: of those with a clock

  bool HaveClocks() const { return !times.empty() && cycles.size() == times.size(); }
  void Add(const Values& other) {
    times.insert(times.end(), other.times.begin(), other.times.end());
    cycles.insert(cycles.end(), other.cycles.begin(), other.cycles.end());
  }
};

Values ValuesOf(const KernelRecord& kernel) {
  std::map<int, Values> by_process;
  for (const Sample& sample : kernel.samples) {
    if (!IsKept(sample)) continue;
    Values& of = by_process[sample.process];
    of.times.push_back(sample.time_us);
    if (const auto clock = ClockOf(sample)) of.cycles.push_back(sample.time_us * *clock);
  }
  if (by_process.size() == 1) return by_process.begin()->second;
  Values values;
  for (auto& [process, of] : by_process) {
    const bool clocks = of.HaveClocks();
    values.times.push_back(Describe(std::move(of.times))->median);
    if (clocks) values.cycles.push_back(Describe(std::move(of.cycles))->median);
  }
  return values;
}

double FloorOf(const KernelRecord& kernel, double us, bool by_cycles) {
  const RunRecord& run = kernel.run.run;
  const NoiseFloor floor = NoiseFloorOf(run.device ? run.device->name : "", us, run.machine);
  return by_cycles ? floor.change : std::hypot(floor.change, floor.clock_change);
}

}  // namespace

int History::Changes() const { return points.empty() ? 0 : points.back().segment; }

History MakeHistory(std::vector<KernelRecord> kernels, const std::vector<int>& executions, const Explainer& explain) {
  History history;
  if (kernels.empty()) return history;
  history.stage = kernels.back().stage.id;
  history.shape = kernels.back().launch.shape;
  const RunRecord newest = kernels.back().run.run;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelRecord& kernel = kernels[i];
    std::string why_not = WhyNotComparable(kernel.run.run, newest);
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
  Values since;  // the last change
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    HistoryPoint& point = history.points[i];
    const Values values = ValuesOf(point.kernel);
    if (i > 0) {
      const HistoryPoint& before = history.points[i - 1];
      point.segment = before.segment;
      point.by_cycles = since.HaveClocks() && values.HaveClocks();
      const auto shift = point.by_cycles ? EstimateShift(since.cycles, values.cycles, history.confidence)
                                         : EstimateShift(since.times, values.times, history.confidence);
      const double us = std::min(point.median_us.value_or(0), before.median_us.value_or(0));
      if (shift) point.change = Widened(*shift, FloorOf(point.kernel, us, point.by_cycles));
      point.is_change = point.change && (point.change->low > 0 || point.change->high < 0);
      if (point.is_change) {
        ++point.segment;
        since = {};
        point.explanation = explain(KernelView(before.kernel), KernelView(point.kernel));
      }
    }
    since.Add(values);
  }
  return history;
}

}  // namespace culprit
