// SPDX-License-Identifier: Apache-2.0
// Whether the cost of a kernel came, or only moved there from other kernels: one was renamed, split or fused.
//
// Looks at the kernel's place: its NVTX range or, without one, the whole program. A cost moved if
//
// - the kernel is new, or others are gone, as after renaming, splitting or fusing;
// - all that came, went or changed there adds up to no more than the noise;
// - and a kernel that is gone or became cheaper belongs to the dearer one: both are in one range, or their names are alike.
//
// If the place became cheaper, the name must say so in a range too. Other changes at the place spoil the sum, and an unrelated one that cancels
// the rise by chance is unlikely. So doubt makes a cost that came.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace culprit {

// A kernel's time in one execution of the program.
struct KernelCost {
  std::string name;   // NormalName
  std::string range;  // NVTX, as NormalRange; empty: none
  double us = 0;      // of all its launches; the median of several runs
  double noise = 0;   // a change by this share is no difference: NoiseFloorOf
};

struct CostOrigin {
  bool is_moved = false;
  double rise_us = 0;  // of the kernel itself
  // Of all kernels of the place that came, went or changed; beyond the noise if positive and the cost came.
  double net_us = 0;
  bool is_in_range = false;  // the place is an NVTX range, not the whole program
  // The others of these kernels: those that went or became cheaper, and those that came or became dearer. The largest
  // change first. Of a cost that came, they are what else happened at the place.
  std::vector<std::string> cheaper, dearer;
};

// `name`, `range`: of the kernel that became dearer or came. Several entries of one kernel in one range are added up.
CostOrigin OriginOf(const std::string& name, const std::string& range, std::span<const KernelCost> before,
                    std::span<const KernelCost> after);

}  // namespace culprit
