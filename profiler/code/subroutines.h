// SPDX-License-Identifier: Apache-2.0
// Subroutines that the compiler adds, for example for 64-bit division.
#pragma once
#include <span>

#include "db/code.h"
#include "profiler/code/flow_graph.h"
#include "profiler/code/trips.h"

namespace culprit {

// A subroutine without lines seems to have the line of the code before it. Gives its instructions the line of the call
// that is executed most. Subroutines with lines keep them.
void PlaceSubroutinesAtTheirCalls(std::span<const SassInstruction> decoded, const FlowGraph& graph,
                                  std::span<const BlockTrips> trips, MachineCode& code);

}  // namespace culprit
