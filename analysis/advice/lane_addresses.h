// SPDX-License-Identifier: Apache-2.0
// Which addresses the lanes of a warp name in each memory access, as far as the machine code says: followed from the
// thread's index through the integer arithmetic of all paths.
//
// Taken for granted: the lanes that execute an instruction came by the same paths, and a pointer that the launch
// passes is a multiple of 256 bytes, as those of cudaMalloc are. So what is known is the difference of the lanes'
// addresses; where the warp's first lies, mostly not.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "analysis/advice/lane_value.h"
#include "analysis/blame/flow_graph.h"
#include "db/code.h"
#include "profiler/sass/instruction.h"

namespace culprit {

// Threads of a block along x, y and z; 0: not known.
struct BlockShape {
  int x = 0, y = 0, z = 0;
};

// Of each instruction: the address of a load, store or atomic, without its constant offset where that is said apart;
// of an asynchronous copy that in global memory. kNothing for all others.
std::vector<LaneValue> LaneAddresses(std::span<const MachineInstruction> code, std::span<const SassInstruction> decoded,
                                     const FlowGraph& graph, const BlockShape& block);

}  // namespace culprit
