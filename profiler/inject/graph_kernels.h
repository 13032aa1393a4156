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

// Those whose node could be read; of graphs within the graph none.
std::vector<GraphKernel> KernelsOf(CUgraph graph);

}  // namespace culprit
