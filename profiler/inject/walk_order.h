// SPDX-License-Identifier: Apache-2.0
// The order in which the nodes of a CUDA graph are carried out one after the other.
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace culprit {

// From and to, as indices of nodes.
using GraphEdge = std::pair<std::size_t, std::size_t>;

// Each node comes after those that it depends on. Nodes that may run at the same time keep their order. Leaves out the
// nodes of a cycle and those behind it; CUDA makes no such graph.
std::vector<std::size_t> WalkOrder(std::size_t nodes, std::span<const GraphEdge> edges);

}  // namespace culprit
