// SPDX-License-Identifier: Apache-2.0
// Splits a change of time by the work of each unit and by the other waiting of warps. The split is exact and
// antisymmetric, and no part is larger than its kernel.
//
// One kernel. A kernel has A active cycles. Each unit u works for U_u cycles at its peak rate. L is the latency of a
// warp, which does not depend on other warps' work. A is their p-norm:
//
//   A^p = L^p + sum over u of U_u^p          This equation defines L, so the sum is exact.
//
// A unit that is always busy determines A alone (a roof). If no unit is nearly always busy, latency determines A. A
// larger p makes roofs sharper. Units that work at the same time need a larger p, so p is the smallest value, 6 or
// more, at which the units of both kernels fit into their cycles. L is divided among the states that warps waited in,
// and falls with more resident warps: L = sum over states of L_r / n.
//
// Two kernels. The path from base to candidate has two halves. Between them lies the best of both: a kernel with the
// smaller work of each unit, the smaller waiting in each state, and the larger number of warps. In the first half
// everything improves, in the second half everything gets worse. In each half, each change gets its Shapley value: its
// effect on A, averaged over all orders of changes (Shapley, "A Value for n-Person Games", 1953). So if each of two
// units would limit the kernel alone, they share their common effect. The effect divided by the unit's changed cycles
// is the price of a cycle: 0 if the unit is idle, 1 if nothing else limits the kernel. The slow-down by fewer warps may
// have been measured. Then it determines the part of warps (by LMDI) in the half next to the kernel with fewer warps,
// but at most that whole half. The rest goes to waiting and, if waiting is not enough, to the units.
//
// Time is A x E / A x 1 / f x the rest (decompose.h), except that the idle cycles at the start and end of each launch
// are added, not multiplied. In each half, all terms of a factor have one sign (LMDI), so no term exceeds the time at
// the half's end.
#pragma once
#include <optional>
#include <vector>

#include "analysis/judge/difference/decompose.h"

namespace culprit {

// The cycles for which a unit works, summed over sub-partitions, as for active cycles.
struct UnitNeed {
  double base = 0, candidate = 0;
};

struct RoofSplit {
  std::vector<double> units;  // microseconds per cycle of each unit, in the order of the needs
  // By state. Here by_factor has only kLatency.
  std::vector<StallDifference> latency;
  std::map<Factor, double> factors;  // kParallelism, kImbalance, kClock, kLaunch
  // The time for counted work that exceeds what the units can do.
  double beyond_units_us = 0;
};

// All parts sum to the difference. `start_cycles`: the fixed idle cycles of a launch, per sub-partition. `slowdown`:
// the measured factor, 1 or more, by which fewer warps alone slow the kernel down.
RoofSplit SplitByRoof(const LaunchCounters& base, const LaunchCounters& candidate, const std::vector<UnitNeed>& units,
                      double start_cycles, std::optional<double> slowdown = std::nullopt);

}  // namespace culprit
