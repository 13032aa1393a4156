// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/occupancy_sweep.h"

#include <algorithm>
#include <cmath>

namespace culprit {
namespace {

// Points of the sweep are compared if one has at least a quarter fewer warps. A smaller step would show noise.
constexpr double kAStep = 0.75;

// The growth of time between two points per factor of fewer warps.
double Exponent(const SweepPoint& more, const SweepPoint& fewer) {
  return std::log(fewer.slowdown / more.slowdown) / std::log(1.0 * more.warps / fewer.warps);
}

}  // namespace

OccupancySweep::OccupancySweep(const KernelRecord& kernel) {
  std::vector<const InterventionRecord*> sweep;
  for (const InterventionRecord& i : kernel.interventions)
    if (i.kind == InterventionKind::kOccupancy && i.resident_blocks && i.resident_warps) sweep.push_back(&i);
  std::ranges::sort(sweep, [](const auto* a, const auto* b) { return *a->resident_warps > *b->resident_warps; });
  const bool clocks = std::ranges::all_of(sweep, [](const auto* i) { return i->clock_mhz.has_value(); });
  const auto cost = [&](const InterventionRecord& i) { return i.time_us * (clocks ? *i.clock_mhz : 1); };
  for (const InterventionRecord* i : sweep)
    if (points_.empty() || *i->resident_warps < points_.back().warps)
      points_.push_back({*i->resident_blocks, *i->resident_warps, cost(*i) / cost(*sweep.front())});
}

std::optional<double> OccupancySweep::SlowdownAt(double warps) const {
  if (points_.empty() || warps > points_.front().warps || warps < points_.back().warps) return std::nullopt;
  const auto below = std::ranges::find_if(points_, [&](const SweepPoint& p) { return p.warps <= warps; });
  if (below == points_.begin()) return 1;
  const SweepPoint& above = *(below - 1);
  return above.slowdown * std::pow(above.warps / warps, Exponent(above, *below));
}

std::optional<double> OccupancySweep::MostSpeedupAt(double warps) const {
  for (const SweepPoint& p : points_)
    if (p.warps <= kAStep * points_.front().warps)
      return std::max(1.0, std::pow(warps / points_.front().warps, Exponent(points_.front(), p)));
  return std::nullopt;
}

}  // namespace culprit
