// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/measured_occupancy.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/judge/causes/cause.h"
#include "analysis/launch/occupancy_sweep.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

// A smaller slow-down is not mentioned, because it is within the noise of a few launches.
constexpr double kSaysSo = 1.03;
// Two occupancies are the same if their ratio is above this.
constexpr double kSameOccupancy = 0.95;

// Resident threads per SM.
Measured ThreadsAllowed(const KernelView& kernel, std::string_view id) {
  return kernel.Get(id) * kernel.Get("block_threads");
}

// The share of lanes in a block's warps that have a thread.
double FilledLanes(const KernelView& kernel) {
  const double threads = kernel.Get("block_threads").value_or(0);
  return threads / (std::ceil(threads / 32) * 32);
}

double LessL1(const KernelView& kernel) {
  double as_it_is = 0, most_shared = 0;
  for (const InterventionRecord& i : kernel.record().interventions) {
    if (i.kind != InterventionKind::kCarveout) continue;
    if (i.setting == kCarveoutAsItIs) as_it_is = i.time_us;
    if (i.setting == kCarveoutMostShared) most_shared = i.time_us;
  }
  return as_it_is > 0 && most_shared > 0 ? most_shared / as_it_is : 1;
}

Measured WarpsOf(const KernelView& kernel, const OccupancySweep& sweep) {
  if (!sweep.points().empty()) return sweep.points().front().warps;
  return kernel.Get("theoretical_warps_per_sm");
}

}  // namespace

std::optional<std::string_view> WhatLimits(const KernelView& fewer, const KernelView& more) {
  const Measured low = fewer.Get("theoretical_occupancy"), high = more.Get("theoretical_occupancy");
  if (!low || !high) return std::nullopt;
  if (*low > kSameOccupancy * *high) return CauseOf(Factor::kImbalance).id;
  const Measured waves = fewer.Get("waves");
  if (!waves) return std::nullopt;
  if (*waves < kSameOccupancy) return CauseOf(Factor::kImbalance).id;
  std::string_view cause;
  double least = std::numeric_limits<double>::infinity(), drop = 0;
  // In the table's order. CUDA reserves shared memory for each block, so a block that uses none reaches two limits at
  // once.
  for (const Cause& resource : Causes())
    for (const std::string_view id : resource.warp_limits) {
      const Measured allowed = ThreadsAllowed(fewer, id), before = ThreadsAllowed(more, id);
      if (!allowed || !before) return std::nullopt;
      // If several resources allow the same number, takes the one that allowed most before.
      if (*allowed > least || (*allowed == least && *before - *allowed <= drop)) continue;
      least = *allowed;
      drop = *before - *allowed;
      cause = resource.id;
    }
  return cause;
}

double MeasuredOccupancy::Slowdown() const {
  return std::max(1.0, less_l1 * (gains ? std::min(loses, *gains) : loses));
}

std::string MeasuredOccupancy::Text() const {
  const auto count = [](double n) { return Format(n, Unit::kCount); };
  const auto times = [](double n) { return fmt::format("{:.2f}x", n); };
  std::string text = fmt::format("measured: {} takes {} with {} of its {} resident warps", more, times(loses),
                                 count(warps_fewer), count(warps_more));
  if (gains && *gains < loses)
    text +=
        fmt::format(", but more than its {} would make {} {} faster at most", count(warps_fewer), fewer, times(*gains));
  if (less_l1 > kSaysSo)
    text += fmt::format(", and {} with as little L1 as the shared memory of {} leaves", times(less_l1), fewer);
  return text;
}

std::optional<MeasuredOccupancy> MeasureOccupancy(const KernelView& base, const KernelView& candidate) {
  const Measured of_base = base.Get("theoretical_occupancy"), of_candidate = candidate.Get("theoretical_occupancy");
  if (!of_base || !of_candidate || *of_base == *of_candidate) return std::nullopt;
  MeasuredOccupancy m;
  m.candidate_has_fewer = *of_candidate < *of_base;
  const KernelView& fewer = m.candidate_has_fewer ? candidate : base;
  const KernelView& more = m.candidate_has_fewer ? base : candidate;
  const auto cause = WhatLimits(fewer, more);
  if (!cause || *cause == CauseOf(Factor::kImbalance).id) return std::nullopt;
  const double filled = FilledLanes(more);
  if (!(std::abs(FilledLanes(fewer) - filled) < (1 - kSameOccupancy) * filled)) return std::nullopt;
  const OccupancySweep sweep(more.record()), others(fewer.record());
  const Measured warps = WarpsOf(fewer, others);
  const auto loses = warps ? sweep.SlowdownAt(*warps) : std::nullopt;
  if (!loses) return std::nullopt;
  m.cause = *cause;
  m.more = more.record().stage.id;
  m.fewer = fewer.record().stage.id;
  m.warps_more = sweep.points().front().warps;
  m.warps_fewer = *warps;
  m.loses = *loses;
  m.gains = others.MostSpeedupAt(m.warps_more);
  const auto& limits = FindCause(*cause)->warp_limits;
  if (std::ranges::find(limits, "blocks_per_sm_by_shared") != limits.end()) m.less_l1 = LessL1(more);
  return m;
}

}  // namespace culprit
