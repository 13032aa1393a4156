// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/graph_nodes.h"

#include <map>

#include "profiler/inject/driver.h"
#include "profiler/inject/walk_order.h"

namespace culprit {
namespace {

constexpr const char* kReading = "read a CUDA graph";

GraphKernel Describe(const CUDA_KERNEL_NODE_PARAMS& p) {
  const char* name = nullptr;
  const Driver& driver = Driver::Get();
  if (p.func != nullptr && driver.function_name != nullptr) driver.function_name(&name, p.func);
  if (name == nullptr && p.kern != nullptr && driver.kernel_name != nullptr) driver.kernel_name(&name, p.kern);
  return {name != nullptr ? name : "",
          {p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes}};
}

void AddKernels(CUgraph graph, std::vector<GraphKernel>& kernels) {
  for (CUgraphNode node : NodesInOrder(graph)) {
    const CUgraphNodeType type = TypeOf(node);
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) kernels.push_back(Describe(KernelNode(node)));
    if (type == CU_GRAPH_NODE_TYPE_GRAPH) AddKernels(ChildOf(node), kernels);
  }
}

}  // namespace

std::vector<CUgraphNode> NodesInOrder(CUgraph graph) {
  const Driver& driver = Driver::Get();
  std::size_t count = 0;
  CallDriver(kReading, driver.graph_nodes, graph, nullptr, &count);
  std::vector<CUgraphNode> nodes(count);
  if (count > 0) CallDriver(kReading, driver.graph_nodes, graph, nodes.data(), &count);
  std::map<CUgraphNode, std::size_t> index;
  for (std::size_t i = 0; i < nodes.size(); ++i) index[nodes[i]] = i;

  CallDriver(kReading, driver.graph_edges, graph, nullptr, nullptr, nullptr, &count);
  std::vector<CUgraphNode> from(count), to(count);
  std::vector<CUgraphEdgeData> kinds(count);
  if (count > 0) CallDriver(kReading, driver.graph_edges, graph, from.data(), to.data(), kinds.data(), &count);
  std::vector<GraphEdge> edges;
  for (std::size_t i = 0; i < count; ++i) edges.emplace_back(index.at(from[i]), index.at(to[i]));

  std::vector<CUgraphNode> ordered;
  for (const std::size_t i : WalkOrder(nodes.size(), edges)) ordered.push_back(nodes[i]);
  return ordered;
}

CUgraphNodeType TypeOf(CUgraphNode node) {
  CUgraphNodeType type{};
  CallDriver(kReading, Driver::Get().node_type, node, &type);
  return type;
}

CUDA_KERNEL_NODE_PARAMS KernelNode(CUgraphNode node) {
  CUDA_KERNEL_NODE_PARAMS params{};
  CallDriver(kReading, Driver::Get().kernel_node, node, &params);
  return params;
}

CUgraph ChildOf(CUgraphNode node) {
  CUgraph child = nullptr;
  CallDriver(kReading, Driver::Get().child_graph, node, &child);
  return child;
}

std::vector<GraphKernel> KernelsOf(CUgraph graph) {
  std::vector<GraphKernel> kernels;
  AddKernels(graph, kernels);
  return kernels;
}

}  // namespace culprit
