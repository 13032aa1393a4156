// SPDX-License-Identifier: Apache-2.0
// Whose line a spill is. No statement asks for it: the compiler gives a spill the line of whatever stands before it, at
// a loop's head that of another function. Registers were spilled because a value was still wanted, so that a reload
// stands where what it brings back is used, and a store where what it puts away was made.
#pragma once
#include <span>

#include "analysis/blame/flow_graph.h"
#include "analysis/blame/trips.h"
#include "db/code.h"
#include "profiler/sass/instruction.h"

namespace culprit {

// Changes the frames of spills in `code`, whose instructions `decoded` are. `trips` of each block of `graph`: of
// several paths the one that is taken most counts. What is not found keeps its line.
void PlaceSpillsAtTheirUses(std::span<const SassInstruction> decoded, const FlowGraph& graph,
                            std::span<const BlockTrips> trips, MachineCode& code);

}  // namespace culprit
