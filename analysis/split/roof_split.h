// SPDX-License-Identifier: Apache-2.0
// A change of time split by what the units of the machine worked and what warps waited for besides: exact,
// antisymmetric, and no part larger than the kernel that it is of.
//
// One kernel. In its A active cycles each unit u works for U_u of them at its peak rate, and a warp waits, of what
// takes its time whoever else works, for L. Together they are A, as a p-norm:
//
//   A^p = L^p + sum over u of U_u^p          so L follows, and the sum is exact
//
// A unit that always works decides alone (a roof); where none does, latency decides. p is how sharp roofs are: units
// that work at the same time make them sharper, so p is the least, of 6 and more, at which the units of both kernels
// fit into the cycles that they took. L is shared by the states that warps waited in, and is less the more warps are
// resident: L = sum over states of L_r / n.
//
// Two kernels. The way from one to the other leads through the best of both, which asks the lesser of each unit, waits
// the lesser in each state, and has the more warps: all the way down to it from the base things get better, and all the
// way up from it to the candidate worse. On each of the two ways each need that changes has its Shapley value: what it
// does to A, averaged over all orders in which they can change (Shapley, "A Value for n-Person Games", 1953). So two
// units of which either alone would hold the kernel up share what they do together, as two causes do of which each was
// taken away with and without the other. Divided by the cycles that changed it is the price of a cycle of the unit: 0
// where it idles, 1 where nothing else decides.
// How many times longer a kernel takes for fewer warps can be known from timing it so: then that, of the way between
// the two (LMDI), is the warps' part on the way of the one that has fewer, but no more than all of that way; what is
// left is the waiting's, and where there is not enough of it the units'.
//
// Time is A x E / A x 1 / f x the rest (decompose.h), but for the cycles that each launch idles at its start and end:
// they are added, not multiplied. Of the factors, on each of the two ways all terms have one sign (LMDI), so that none
// exceeds the time at its end.
#pragma once
#include <optional>
#include <vector>

#include "analysis/split/decompose.h"

namespace culprit {

// Cycles that a unit works, summed over sub-partitions as active cycles are.
struct UnitNeed {
  double base = 0, candidate = 0;
};

struct RoofSplit {
  std::vector<double> units;  // microseconds for a cycle of each unit, in the order of the needs
  // By state: latency alone. by_factor has kLatency, what came and went with the waiting, and no more.
  std::vector<StallDifference> latency;
  std::map<Factor, double> factors;  // kParallelism, kImbalance, kClock, kLaunch
  // By how much units were counted to work more than they can.
  double beyond_units_us = 0;
};

// All of them sum to the difference. `start_cycles`: those that a launch idles whatever it does, per sub-partition.
// `slowdown`: how many times longer the one with fewer warps takes for that alone, 1 or more, where it was measured.
RoofSplit SplitByRoof(const LaunchCounters& base, const LaunchCounters& candidate, const std::vector<UnitNeed>& units,
                      double start_cycles, std::optional<double> slowdown = std::nullopt);

}  // namespace culprit
