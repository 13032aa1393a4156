// SPDX-License-Identifier: Apache-2.0
// The addresses that the lanes of a warp access, as far as the machine code shows them. They are computed from the
// thread index, through the integer arithmetic of all paths.
//
// Assumes that the lanes of an instruction came by the same paths, and that a pointer argument is a multiple of 256
// bytes, as cudaMalloc's are. So the differences between lanes are known, but mostly not the first address.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "profiler/code/flow_graph.h"
#include "profiler/code/instruction.h"
#include "profiler/code/lane_value.h"

namespace culprit {

// Threads of a block along x, y and z; 0: not known.
struct BlockShape {
  int x = 0, y = 0, z = 0;
};

// For each instruction, the address of its load, store or atomic, without the constant offset of SassAddress. For an
// asynchronous copy, the address in global memory. For all others, kNothing.
std::vector<LaneValue> LaneAddresses(std::span<const SassInstruction> code, const FlowGraph& graph,
                                     const BlockShape& block);

}  // namespace culprit
