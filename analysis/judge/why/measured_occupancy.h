// SPDX-License-Identifier: Apache-2.0
// The cost of fewer resident warps, if it was measured instead of modelled.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analysis/launch/kernel_view.h"

namespace culprit {

struct MeasuredOccupancy {
  std::string_view cause;  // the resource that limits the kernel with fewer warps
  bool candidate_has_fewer = false;
  std::string more, fewer;                 // the stages with more and with fewer warps
  double warps_more = 0, warps_fewer = 0;  // resident on an SM
  double loses = 1;                        // slow-down of `more` when it has only warps_fewer
  std::optional<double> gains;             // upper bound of the speed-up of `fewer` when it has warps_more
  // If shared memory limits occupancy: slow-down of `more` when its L1 is as small as that of `fewer`.
  double less_l1 = 1;
  // The effect of warps. It is 1 if `more` would lose and `fewer` would not gain, because then each kernel suits the
  // warps that it has.
  double Slowdown() const;
  std::string Text() const;  // one sentence
};

// The reason why one kernel has fewer resident warps than the other, as the id of a cause: the limiting resource, or
// imbalance if its grid has too few warps to reach the limit. None if a limit is not known.
std::optional<std::string_view> WhatLimits(const KernelView& fewer, const KernelView& more);

// None unless a resource limits one kernel and the other's occupancy sweep goes down to its number of warps. Also none
// if the warps of one kernel have fewer active lanes, because a sweep removes whole warps.
std::optional<MeasuredOccupancy> MeasureOccupancy(const KernelView& base, const KernelView& candidate);

}  // namespace culprit
