// SPDX-License-Identifier: Apache-2.0
// What one kernel asked of the machine, from its counters; each number by the kind of access or instruction that asked.
// What was not counted is 0 here: causes that need it are not judged then (Cause::needs).
#pragma once
#include "analysis/kernel_view.h"

namespace culprit {

// What was counted exactly for both kernels of a pair: one's conflicts are not comparable with the other's guess.
struct Exact {
  bool shared = false;  // wavefronts with and without bank conflicts
  bool global = false;  // sectors with and without coalescing
};
Exact ExactOfBoth(const KernelView& base, const KernelView& candidate);

struct Demand {
  Demand(const KernelView& kernel, Exact exact);

  // Warp instructions.
  double issued = 0, local = 0, shared = 0, global = 0, atomic = 0;
  double fp32 = 0, fp64 = 0, special = 0, conversion = 0, tensor = 0, branch = 0;
  double other = 0;  // issued minus all of these but branch
  double lanes = 0;  // active threads per warp instruction
  double barriers = 0;

  // Shared memory, wavefronts. Without exact counts conflicts are what the hardware's counter says, lost arbitration
  // included.
  double shared_useful = 0, shared_conflicts = 0, shared_atomic = 0;
  // Bytes that a thread names in an access; 0: not known, instructions were not counted.
  double shared_width = 0, global_width = 0;

  // 32-byte sectors. Without exact counts all are useful.
  double local_l1 = 0, local_l2 = 0, local_dram = 0;
  double useful_l1 = 0, useful_l2 = 0, useful_dram = 0;  // of global accesses, as many as coalesced ones would touch
  double excess_l1 = 0, excess_l2 = 0, excess_dram = 0;  // of global accesses, beyond those
  bool exact_global = false;
  double local_requests = 0, global_requests = 0;
  double atomic_sectors = 0, atomic_l2_cycles = 0;

  Measured l1_pct, l2_pct, dram_pct;  // of peak

  double instruction_misses = 0, immediate_misses = 0, constant_requests = 0;
};

}  // namespace culprit
