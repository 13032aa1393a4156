// SPDX-License-Identifier: Apache-2.0
// The source line of a warpgroup's product. ptxas (CUDA 13.0) writes no line for HGMMA and its like, so each seems to
// have the previous instruction's line. The instructions that prepare its descriptors mostly have the line of the
// wgmma.
#pragma once
#include <span>

#include "db/code.h"
#include "profiler/code/flow_graph.h"
#include "profiler/code/instruction.h"

namespace culprit {

// Changes the frames of products in `code`; `decoded` matches `code`. Products without a better line keep theirs.
void PlaceProductsAtTheirFactors(std::span<const SassInstruction> decoded, const FlowGraph& graph, MachineCode& code);

}  // namespace culprit
