// SPDX-License-Identifier: Apache-2.0
// Reads CUDA graphs.
#pragma once
#include <cuda.h>

#include <string>
#include <vector>

#include "profiler/trace/trace.h"

namespace culprit {

struct GraphKernel {
  std::string symbol;
  LaunchGeometry geometry;
};

// These throw Error when the driver refuses.

// The nodes in the order of WalkOrder.
std::vector<CUgraphNode> NodesInOrder(CUgraph graph);
CUgraphNodeType TypeOf(CUgraphNode node);
CUDA_KERNEL_NODE_PARAMS KernelNode(CUgraphNode node);
// The graph that a node of type CU_GRAPH_NODE_TYPE_GRAPH executes.
CUgraph ChildOf(CUgraphNode node);

// The kernels of all nodes in this order. Child graphs are descended, bodies of conditional nodes are not.
std::vector<GraphKernel> KernelsOf(CUgraph graph);

}  // namespace culprit
