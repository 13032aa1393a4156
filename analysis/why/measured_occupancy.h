// SPDX-License-Identifier: Apache-2.0
// What fewer resident warps cost, where it was measured: not modelled from how long warps wait.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analysis/kernel/kernel_view.h"

namespace culprit {

struct MeasuredOccupancy {
  std::string_view cause;  // the resource that limits the one with fewer
  bool candidate_has_fewer = false;
  std::string more, fewer;                 // their stages
  double warps_more = 0, warps_fewer = 0;  // resident on an SM
  double loses = 1;                        // times as long the one with more takes with the other's warps
  std::optional<double> gains;             // times as fast the one with fewer could at most be with the other's
  // Where shared memory limits: times as long the one with more takes with as little L1 as that leaves the other.
  double less_l1 = 1;
  // A loss of one and no gain of the other is no loss of warps: each does with what it has.
  double Slowdown() const;
  std::string Text() const;  // one sentence
};

// The resource that lets one of two kernels have fewer resident warps than the other, if there is one and its grid
// reaches it: the id of a cause, or that of imbalance where warps ran out. None where a limit is not known.
std::optional<std::string_view> WhatLimits(const KernelView& fewer, const KernelView& more);

// None unless a resource limits one of them and the other's occupancy sweep reaches its number of warps. None either
// where one has emptier warps: a sweep takes away whole ones.
std::optional<MeasuredOccupancy> MeasureOccupancy(const KernelView& base, const KernelView& candidate);

}  // namespace culprit
