// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/graph_walk.h"

#include <algorithm>
#include <memory>
#include <ranges>
#include <set>
#include <type_traits>

#include "db/error.h"
#include "profiler/inject/driver.h"
#include "profiler/inject/graph_nodes.h"

namespace culprit {
namespace {

constexpr const char* kParting = "take the graph apart";

// What a node may have and a launch takes. A value of zero bytes alone says nothing.
constexpr CUlaunchAttributeID kAttributes[] = {
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING,
};

bool SaysSomething(const CUlaunchAttributeValue& value) {
  return std::ranges::any_of(value.pad, [](char byte) { return byte != 0; });
}

CUresult LaunchAlone(CUgraphNode node, CUstream stream) {
  const Driver& driver = Driver::Get();
  CUDA_KERNEL_NODE_PARAMS p{};
  if (const CUresult result = driver.kernel_node(node, &p); result != CUDA_SUCCESS) return result;
  std::vector<CUlaunchAttribute> attributes;
  for (const CUlaunchAttributeID id : kAttributes) {
    CUlaunchAttribute attribute{};
    attribute.id = id;
    if (driver.kernel_attribute(node, id, &attribute.value) == CUDA_SUCCESS && SaysSomething(attribute.value))
      attributes.push_back(attribute);
  }
  CUlaunchConfig config{};
  config.gridDimX = p.gridDimX, config.gridDimY = p.gridDimY, config.gridDimZ = p.gridDimZ;
  config.blockDimX = p.blockDimX, config.blockDimY = p.blockDimY, config.blockDimZ = p.blockDimZ;
  config.sharedMemBytes = p.sharedMemBytes;
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  // Launches take a CUkernel in place of a CUfunction.
  const auto function = p.func != nullptr ? p.func : reinterpret_cast<CUfunction>(p.kern);
  return driver.launch_kernel(&config, function, p.kernelParams, p.extra);
}

}  // namespace

GraphWalk::GraphWalk(CUcontext context, CUgraph graph, const IsWanted& is_wanted) : context_(context) {
  try {
    const Driver& driver = Driver::Get();
    if (driver.kernel_attribute == nullptr || driver.launch_kernel == nullptr || driver.exec_launch == nullptr)
      throw Error("the driver is too old for it");
    Add(graph, is_wanted, true);
  } catch (const Error&) {
    Clear();
    throw;
  }
}

GraphWalk::~GraphWalk() { Clear(); }

// A graph that still runs is freed when it has ended.
void GraphWalk::Clear() {
  for (const Step& step : steps_)
    if (step.exec != nullptr) Driver::Get().exec_destroy(step.exec);
}

void GraphWalk::Add(CUgraph graph, const IsWanted& is_wanted, bool is_whole) {
  std::vector<CUgraphNode> together;
  const auto part = [&] {
    if (!together.empty()) AddPart(graph, together);
    together.clear();
  };
  for (CUgraphNode node : NodesInOrder(graph)) {
    const CUgraphNodeType type = TypeOf(node);
    if (type == CU_GRAPH_NODE_TYPE_GRAPH) {
      const std::size_t first = kernels_, last = first + KernelsOf(ChildOf(node)).size();
      if (std::ranges::any_of(std::views::iota(first, last), is_wanted)) {
        part();
        Add(ChildOf(node), is_wanted, false);
        continue;
      }
      kernels_ = last;
    } else if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
      const std::size_t number = kernels_++;
      if (is_wanted(number)) {
        const CUcontext context = KernelNode(node).ctx;
        if (context != nullptr && context != context_) throw Error("its kernels are of several contexts");
        part();
        steps_.push_back({.kernel = node, .number = number});
        continue;
      }
    }
    together.push_back(node);
  }
  if (is_whole)
    AddPart(graph, together);
  else
    part();
}

void GraphWalk::AddPart(CUgraph graph, const std::vector<CUgraphNode>& nodes) {
  const Driver& driver = Driver::Get();
  const std::set<CUgraphNode> kept(nodes.begin(), nodes.end());
  CUgraph copy = nullptr;
  CallDriver(kParting, driver.graph_clone, &copy, graph);
  const std::unique_ptr<std::remove_pointer_t<CUgraph>, CUresult (*)(CUgraph)> owned(copy, driver.graph_destroy);
  for (CUgraphNode node : NodesInOrder(graph)) {
    if (kept.contains(node)) continue;
    CUgraphNode copied = nullptr;
    CallDriver(kParting, driver.node_in_clone, &copied, node, copy);
    CallDriver(kParting, driver.node_destroy, copied);
  }
  CUgraphExec exec = nullptr;
  CallDriver(kParting, driver.exec_instantiate, &exec, copy, 0ULL);
  steps_.push_back({.exec = exec});
}

Walked GraphWalk::Run(CUstream stream, const std::function<CUresult(std::size_t, const Launch&)>& count) const {
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const CUresult result = step.kernel != nullptr
                                ? count(step.number, [&] { return LaunchAlone(step.kernel, stream); })
                                : Driver::Get().exec_launch(step.exec, stream);
    if (result != CUDA_SUCCESS) return i == 0 ? Walked::kNothing : Walked::kPart;
  }
  return Walked::kAll;
}

}  // namespace culprit
