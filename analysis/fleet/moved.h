// SPDX-License-Identifier: Apache-2.0
// Whether the cost of a kernel came, or only moved there from other kernels: one was renamed, split or fused.
//
// The sum over all kernels that came, went or changed at the same place decides: the same NVTX range, or the whole
// program for a kernel without one. Doubt makes a cost that came.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace culprit {

// All executions of one kernel in one execution of the program.
struct KernelCost {
  std::string name;
  std::string range;  // NVTX; empty: none
  double us = 0;      // in total; the median of several runs
  double noise = 0;   // change of `us` between two recordings that is no difference: NoiseFloorOf
};

struct MovedCost {
  bool is_moved = false;
  double rise_us = 0;  // of the kernel itself
  double net_us = 0;   // of all kernels at its place that came, went or changed
  bool in_range = false;  // the place is its NVTX range, not the whole program
  std::vector<std::string> from;  // kernels that went or became cheaper, largest first
  std::vector<std::string> beside;  // other kernels that came or became dearer, largest first
};

// `name` and `range`: the kernel that became dearer, or is new. Rows of one kernel in one range are added up.
MovedCost WhereCostCameFrom(std::span<const KernelCost> before, std::span<const KernelCost> after,
                            const std::string& name, const std::string& range);

}  // namespace culprit
