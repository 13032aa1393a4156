// SPDX-License-Identifier: Apache-2.0
// How often warps ran each basic block.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "analysis/blame/flow_graph.h"

namespace culprit {

struct BlockTrips {
  double trips = 0;
  bool exact = false;  // counted; else in proportion to the samples that saw its instructions issue
};

// Of each block. `counted`: executions of each instruction by warps, where they were counted: one of a block is enough.
// `issued`: samples of each instruction in which it issued, which are as many for each execution of any instruction.
// Where no block was counted the trips are right but for one factor.
std::vector<BlockTrips> TripsOf(const FlowGraph& graph, std::span<const std::optional<double>> counted,
                                std::span<const double> issued);

}  // namespace culprit
