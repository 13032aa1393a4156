// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/launch/stall_stack.h"
#include "analysis/number/name_in.h"

namespace culprit {
namespace {

MetricDelta MakeDelta(const MetricDefinition& metric, double base, double candidate) {
  MetricDelta delta{metric.id, metric.unit, metric.meaning, base, candidate, ChangeKind::kChanged, std::nullopt};
  if (base != 0) delta.change = candidate / base - 1;
  if (base == candidate)
    delta.kind = ChangeKind::kSame;
  else if (base == 0)
    delta.kind = ChangeKind::kNew;
  else if (candidate == 0)
    delta.kind = ChangeKind::kGone;
  return delta;
}

using Largest = std::map<std::string, double>;  // by unit

Largest LargestOfEachUnit(const std::vector<MetricDelta>& metrics) {
  Largest largest;
  for (const MetricDelta& d : metrics) {
    double& value = largest[d.unit];
    value = std::max({value, std::abs(d.base), std::abs(d.candidate)});
  }
  return largest;
}

// Smaller sorts first.
std::tuple<int, double, const std::string&> Order(const MetricDelta& d, const Largest& largest) {
  if (IsUnchanged(d)) return {d.kind == ChangeKind::kSame ? 3 : 2, 0, d.id};
  if (d.kind == ChangeKind::kChanged) return {1, -std::abs(d.candidate - d.base) / largest.at(d.unit), d.id};
  return {0, -std::max(std::abs(d.base), std::abs(d.candidate)), d.id};
}

void AddMetrics(const KernelView& base, const KernelView& candidate, Comparison& result) {
  std::vector<MetricDefinition> metrics;
  for (const KernelView* side : {&base, &candidate})
    for (const Reading& reading : side->record().readings)
      if (std::none_of(metrics.begin(), metrics.end(), [&](const auto& m) { return m.id == reading.metric.id; }))
        metrics.push_back(reading.metric);
  for (const MetricDefinition& metric : metrics) {
    const Measured b = base.Get(metric.id), c = candidate.Get(metric.id);
    if (b && c)
      result.metrics.push_back(MakeDelta(metric, *b, *c));
    else
      result.not_comparable.push_back({metric.id, b, c});
  }
  const Largest largest = LargestOfEachUnit(result.metrics);
  std::stable_sort(result.metrics.begin(), result.metrics.end(),
                   [&](const MetricDelta& x, const MetricDelta& y) { return Order(x, largest) < Order(y, largest); });
  std::sort(result.not_comparable.begin(), result.not_comparable.end(),
            [](const auto& x, const auto& y) { return x.id < y.id; });
}

// As in judge/difference/decompose.cpp, so that a pair has the same states in compare and in why.
Measured WholeOf(const KernelView& kernel) {
  const StallStackResult result = MakeStallStack(kernel);
  return result.stack ? WholeOf(*result.stack) : 1.0;
}

void AddStalls(const KernelView& base, const KernelView& candidate, Comparison& result) {
  std::vector<std::string> reasons;
  for (const KernelView* side : {&base, &candidate})
    for (const Reading& reading : side->record().readings)
      if (reading.metric.id.starts_with("stall_"))
        if (const std::string reason = reading.metric.id.substr(6);
            std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
          reasons.push_back(reason);
  const Measured base_whole = WholeOf(base), candidate_whole = WholeOf(candidate);
  for (const std::string& reason : reasons) {
    const StallDelta delta{reason, base.StallUs(reason) / base_whole, candidate.StallUs(reason) / candidate_whole};
    if (delta.base_us || delta.candidate_us) result.stalls.push_back(delta);
  }
  const auto moved = [](const StallDelta& d) { return std::abs((d.candidate_us - d.base_us).value_or(0)); };
  std::stable_sort(result.stalls.begin(), result.stalls.end(),
                   [&](const StallDelta& x, const StallDelta& y) { return moved(x) > moved(y); });
}

void AddCaveats(const KernelRecord& a, const KernelRecord& b, Comparison& result) {
  const auto differ = [&](std::string_view what, const std::string& x, const std::string& y) {
    if (x != y)
      result.caveats.push_back(std::string(what) + " differs: " + (x.empty() ? "unknown" : x) + " against " +
                               (y.empty() ? "unknown" : y) + ".");
  };
  const RunRecord &ra = a.run.run, &rb = b.run.run;
  differ("GPU", ra.device ? ra.device->name : "", rb.device ? rb.device->name : "");
  differ("Shape", a.launch.shape, b.launch.shape);
  differ("L2 state", ra.l2, rb.l2);
  differ("Driver", ra.toolchain.driver, rb.toolchain.driver);
  differ("nvcc", ra.toolchain.nvcc, rb.toolchain.nvcc);
  if (ra.uuid != rb.uuid)
    result.caveats.push_back("The two were recorded in different runs: clocks and temperature may differ.");
}

}  // namespace

Comparison Compare(const KernelView& base, const KernelView& candidate) {
  Comparison result;
  result.base_us = base.Get("time_us");
  result.candidate_us = candidate.Get("time_us");
  AddStalls(base, candidate, result);
  AddMetrics(base, candidate, result);
  AddCaveats(base.record(), candidate.record(), result);
  return result;
}

bool IsSameCode(const KernelRecord& base, const KernelRecord& candidate) {
  const auto launch = [](const LaunchRecord& l) {
    return std::tuple(l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, l.dynamic_shared_bytes, l.arch);
  };
  return !base.cubin_digest.empty() && base.cubin_digest == candidate.cubin_digest &&
         launch(base.launch) == launch(candidate.launch);
}

bool IsUnchanged(const MetricDelta& delta) {
  constexpr double kUnchanged = 5e-4;
  // By logarithm, so that both directions sort alike.
  if (delta.kind == ChangeKind::kSame) return true;
  return delta.kind == ChangeKind::kChanged && std::abs(std::log(delta.candidate / delta.base)) < kUnchanged;
}

std::string_view ToText(ChangeKind kind) {
  using enum ChangeKind;
  return NameIn<ChangeKind>({{kNew, "new"}, {kGone, "gone"}, {kChanged, "changed"}, {kSame, "same"}}, kind);
}

std::vector<FactorChange> FactorChanges(const StageRecord& base, const StageRecord& candidate) {
  std::set<std::string> names;
  for (const auto* stage : {&base, &candidate})
    for (const auto& [factor, value] : stage->factors) names.insert(factor);
  const auto value = [](const StageRecord& stage, const std::string& factor) {
    const auto found = stage.factors.find(factor);
    return found == stage.factors.end() ? std::string("none") : found->second;
  };
  std::vector<FactorChange> changes;
  for (const std::string& name : names) {
    // A factor that only one of the two states counts as changed, even from or to "none", as in view `edge`.
    const bool stated_by_both = base.factors.contains(name) && candidate.factors.contains(name);
    FactorChange change{name, value(base, name), value(candidate, name)};
    if (!stated_by_both || change.base != change.candidate) changes.push_back(std::move(change));
  }
  return changes;
}

std::string ToText(const FactorChange& change) {
  return fmt::format("{}: {} => {}", change.factor, change.base, change.candidate);
}

}  // namespace culprit
