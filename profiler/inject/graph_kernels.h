// SPDX-License-Identifier: Apache-2.0
// The kernels that a CUDA graph launches.
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

// The kernels of all nodes that could be read. Leaves out kernels of child graphs.
std::vector<GraphKernel> KernelsOf(CUgraph graph);

}  // namespace culprit
