// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/graph_kernels.h"

#include "profiler/inject/driver.h"

namespace culprit {
namespace {

GraphKernel Describe(const CUDA_KERNEL_NODE_PARAMS& p) {
  const char* name = nullptr;
  const Driver& driver = Driver::Get();
  if (p.func != nullptr && driver.function_name != nullptr) driver.function_name(&name, p.func);
  if (name == nullptr && p.kern != nullptr && driver.kernel_name != nullptr) driver.kernel_name(&name, p.kern);
  return {name != nullptr ? name : "",
          {p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes}};
}

}  // namespace

std::vector<GraphKernel> KernelsOf(CUgraph graph) {
  const Driver& driver = Driver::Get();
  std::size_t count = 0;
  if (driver.graph_nodes == nullptr || driver.node_type == nullptr || driver.kernel_node == nullptr ||
      driver.graph_nodes(graph, nullptr, &count) != CUDA_SUCCESS)
    return {};
  std::vector<CUgraphNode> nodes(count);
  if (driver.graph_nodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return {};
  std::vector<GraphKernel> kernels;
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type{};
    CUDA_KERNEL_NODE_PARAMS params{};
    if (driver.node_type(node, &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_KERNEL &&
        driver.kernel_node(node, &params) == CUDA_SUCCESS)
      kernels.push_back(Describe(params));
  }
  return kernels;
}

}  // namespace culprit
