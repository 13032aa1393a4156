// SPDX-License-Identifier: Apache-2.0
// Whose line a warpgroup's product is. ptxas (CUDA 13.0) leaves HGMMA and its like without a line, so that each has
// that of whatever stands before it: of arithmetic on a descriptor, or of a statement that was moved in between. What
// puts descriptors of its factors into place has lines: mostly that of the wgmma itself.
#pragma once
#include <span>

#include "analysis/blame/flow_graph.h"
#include "db/code.h"
#include "profiler/sass/instruction.h"

namespace culprit {

// Changes the frames of products in `code`, whose instructions `decoded` are. What is not found keeps its line.
void PlaceProductsAtTheirFactors(std::span<const SassInstruction> decoded, const FlowGraph& graph, MachineCode& code);

}  // namespace culprit
