// SPDX-License-Identifier: Apache-2.0
// The source line of a spill. The compiler gives a spill the line of the previous instruction. A register is spilled to
// keep its value. So a reload belongs to the line that uses the value, and a store to the line that computes it.
#pragma once
#include <span>

#include "db/code.h"
#include "profiler/code/flow_graph.h"
#include "profiler/code/instruction.h"
#include "profiler/code/trips.h"

namespace culprit {

// Changes the frames of spills in `code`; `decoded` matches `code`. `trips`: one per block of `graph`, to choose the
// most frequent of several paths. Spills without a better line keep theirs.
void PlaceSpillsAtTheirUses(std::span<const SassInstruction> decoded, const FlowGraph& graph,
                            std::span<const BlockTrips> trips, MachineCode& code);

}  // namespace culprit
