// SPDX-License-Identifier: Apache-2.0
// Loads of shared memory in loops that ptxas writes for atomics (db/swap_loads.cpp). They belong to the atomics.
#pragma once
#include <optional>

#include "analysis/launch/kernel_view.h"
#include "analysis/number/range.h"

namespace culprit {

struct SwapDemand {
  Range executions = 0.0, wavefronts = 0.0;
  std::optional<double> conflicts = 0.0;  // of the wavefronts, those of bank conflicts; none: not known
  double bytes = 0;                       // of each thread in such a load
};

// From exact counts, or a range from samples of instructions. None: not known, and then these count as other loads.
std::optional<SwapDemand> SwapDemandOf(const KernelView& kernel);

}  // namespace culprit
