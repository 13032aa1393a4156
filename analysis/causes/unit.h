// SPDX-License-Identifier: Apache-2.0
// The units of the machine that work for a kernel, and for whom: the same rooms that say what warps wait for
// (Cause::asks) say whose work it is.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/causes/movement.h"
#include "analysis/causes/wait.h"

namespace culprit {

// What one unit works for two kernels.
struct UnitWork {
  std::string_view unit;  // for people: "data pipe"
  Movement movement;
  double cycles = 1;      // of a sub-partition, that one of the movement takes
  Range base, candidate;  // all of it, also where it is not known whose it is; in what the movement is in
};

// Issue slots, arithmetic pipes, the data pipe of an SM (shared memory and L1), L2 and device memory.
std::vector<UnitWork> WorkOf(const Askers& pair);

}  // namespace culprit
