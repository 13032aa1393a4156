// SPDX-License-Identifier: Apache-2.0
// Subroutines that the compiler brings along, of 64-bit divisions and the like.
#pragma once
#include <span>

#include "analysis/blame/flow_graph.h"
#include "analysis/blame/trips.h"
#include "db/code.h"

namespace culprit {

// They have no lines: what stands there is the line of whatever stands before them in the code. Gives their
// instructions the line of the call, of several the one that is executed most. Subroutines with lines of their own keep
// them.
void PlaceSubroutinesAtTheirCalls(std::span<const SassInstruction> decoded, const FlowGraph& graph,
                                  std::span<const BlockTrips> trips, MachineCode& code);

}  // namespace culprit
