// SPDX-License-Identifier: Apache-2.0
// What a CUDA graph launches.
#pragma once
#include <cuda.h>

#include <string>
#include <vector>

#include "db/trace.h"

namespace culprit {

struct GraphKernel {
  std::string symbol;
  LaunchGeometry geometry;
};

struct GraphKernels {
  std::vector<GraphKernel> kernels;
  // Whether they run one after the other, in this order: the graph is a chain.
  bool in_order = false;
};

// Never throws through CUDA: of a graph that cannot be read no kernel is known.
GraphKernels KernelsOf(CUgraph graph);

}  // namespace culprit
