// SPDX-License-Identifier: Apache-2.0
// How long an instruction keeps the queue or pipe busy that it goes through.
#pragma once
#include <span>
#include <vector>

#include "db/records.h"
#include "profiler/sass/instruction.h"

namespace culprit {

// In cycles of its unit, each time that a warp executes it: only their ratios matter. `counted`: exact counts of this
// instruction, null where there are none.
//   shared memory    its wavefronts as counted; else one for each 4 bytes of a thread, as without conflicts
//   global, local    one for each 4 bytes of a thread, and one for each sector more than it would need
//   special functions and conversions   2: an SM computes 16 of them a cycle (CUDA C++ Programming Guide, "Arithmetic
//                    Instructions")
//   all others       1
double PassesOf(const SassInstruction& instruction, const InstructionRecord* counted);

}  // namespace culprit
