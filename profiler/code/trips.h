// SPDX-License-Identifier: Apache-2.0
// How often warps ran each basic block.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "profiler/code/flow_graph.h"

namespace culprit {

struct BlockTrips {
  double trips = 0;
  bool exact = false;  // true: counted; false: estimated from the samples in which its instructions issued
};

// One per block. `counted`: the executions of each instruction by warps, if counted; one counted instruction per block
// is enough. `issued`: the samples in which each instruction issued, which are proportional to its executions. If no
// block was counted, only the ratios of the trips are right.
std::vector<BlockTrips> TripsOf(const FlowGraph& graph, std::span<const std::optional<double>> counted,
                                std::span<const double> issued);

}  // namespace culprit
