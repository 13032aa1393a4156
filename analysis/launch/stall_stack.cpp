// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/stall_stack.h"

#include <algorithm>

namespace culprit {
namespace {

constexpr std::string_view kPrefix = "stall_";

std::string Refuse(std::string_view what, const Measured& missing) {
  return std::string(what) + " was " +
         std::string(missing.absence() == Absence::kUndefined ? "zero" : Describe(missing.absence())) +
         ", so time cannot be split by stall reason.";
}

}  // namespace

StallStackResult MakeStallStack(const KernelView& kernel) {
  const Measured time = kernel.Get("time_us");
  const Measured warps = kernel.Get("warps_active");
  if (!warps) return {std::nullopt, Refuse("warps_active", warps)};
  if (*warps <= 0) return {std::nullopt, Refuse("warps_active", Measured::Missing(Absence::kUndefined))};

  StallStack stack;
  stack.time_us = time;
  stack.warps_active = *warps;
  double sum = 0;
  for (const Reading& reading : kernel.record().readings) {
    const MetricDefinition& metric = reading.metric;
    if (!metric.id.starts_with(kPrefix)) continue;
    const std::string reason = metric.id.substr(kPrefix.size());
    const Measured cycles = kernel.Get(metric.id);
    if (!cycles) {
      stack.missing.push_back({reason, cycles.absence()});
      continue;
    }
    const double share = *cycles / *warps;
    stack.parts.push_back({reason, metric.id, metric.meaning, *cycles, share, time * share});
    sum += *cycles;
  }
  if (stack.parts.empty())
    return {std::nullopt, "No stall reason was measured, so time cannot be split by stall reason."};
  std::stable_sort(stack.parts.begin(), stack.parts.end(),
                   [](const StallPart& a, const StallPart& b) { return a.warp_cycles > b.warp_cycles; });
  stack.closure = sum / *warps;
  stack.unattributed_us = time * (1 - stack.closure);
  return {std::move(stack), {}};
}

double WholeOf(const StallStack& stack) {
  constexpr double kClosureRounding = 1e-12;
  return stack.closure > 1 + kClosureRounding ? stack.closure : 1;
}

const StallPart* TopStall(const StallStack& stack) {
  for (const StallPart& part : stack.parts)
    if (part.reason != "selected" && part.reason != "not_selected") return &part;
  return nullptr;
}

}  // namespace culprit
