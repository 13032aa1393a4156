// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/graph_kernels.h"

#include <map>
#include <set>

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

// The nodes one after the other; empty where they are no chain.
std::vector<CUgraphNode> ChainOf(const std::vector<CUgraphNode>& nodes, const std::vector<CUgraphNode>& from,
                                 const std::vector<CUgraphNode>& to) {
  if (from.size() + 1 != nodes.size()) return {};
  std::map<CUgraphNode, CUgraphNode> next;
  std::set<CUgraphNode> first(nodes.begin(), nodes.end());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!next.emplace(from[i], to[i]).second) return {};
    first.erase(to[i]);
  }
  if (first.size() != 1) return {};
  std::vector<CUgraphNode> chain{*first.begin()};
  for (auto n = next.find(chain.back()); n != next.end() && chain.size() < nodes.size(); n = next.find(chain.back()))
    chain.push_back(n->second);
  return chain.size() == nodes.size() ? chain : std::vector<CUgraphNode>{};
}

}  // namespace

GraphKernels KernelsOf(CUgraph graph) {
  const Driver& driver = Driver::Get();
  GraphKernels out;
  std::size_t count = 0, edges = 0;
  if (driver.graph_nodes == nullptr || driver.graph_edges == nullptr || driver.node_type == nullptr ||
      driver.kernel_node == nullptr || driver.graph_nodes(graph, nullptr, &count) != CUDA_SUCCESS || count == 0 ||
      driver.graph_edges(graph, nullptr, nullptr, &edges) != CUDA_SUCCESS)
    return out;
  std::vector<CUgraphNode> nodes(count), from(edges), to(edges);
  if (driver.graph_nodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return out;
  if (edges > 0 && driver.graph_edges(graph, from.data(), to.data(), &edges) != CUDA_SUCCESS) return out;
  if (const std::vector<CUgraphNode> chain = ChainOf(nodes, from, to); !chain.empty()) {
    nodes = chain;
    out.in_order = true;
  }
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type{};
    if (driver.node_type(node, &type) != CUDA_SUCCESS) return {};
    // What they launch is decided elsewhere.
    if (type == CU_GRAPH_NODE_TYPE_GRAPH || type == CU_GRAPH_NODE_TYPE_CONDITIONAL) out.in_order = false;
    if (type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
    CUDA_KERNEL_NODE_PARAMS params{};
    if (driver.kernel_node(node, &params) != CUDA_SUCCESS) return {};
    out.kernels.push_back(Describe(params));
  }
  return out;
}

}  // namespace culprit
