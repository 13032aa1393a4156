// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/graph_template.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "profiler/inject/driver.h"

namespace culprit {
namespace {

// A graph with such nodes can be neither copied nor executed in parts, or would wait for what the program does later.
struct Refused {
  CUgraphNodeType type;
  const char* name;
};
constexpr Refused kRefused[] = {
    {CU_GRAPH_NODE_TYPE_CONDITIONAL, "a conditional node"},
    {CU_GRAPH_NODE_TYPE_MEM_ALLOC, "a node that allocates memory"},
    {CU_GRAPH_NODE_TYPE_MEM_FREE, "a node that frees memory"},
    {CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, "a node that waits for a semaphore of another library"},
    {CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, "a node that waits for a value in memory or writes it"},
};

std::string TroubleOf(CUgraph graph) {
  for (CUgraphNode node : NodesInOrder(graph)) {
    const CUgraphNodeType type = TypeOf(node);
    for (const Refused& refused : kRefused)
      if (type == refused.type) return fmt::format("the graph has {}", refused.name);
    if (type == CU_GRAPH_NODE_TYPE_GRAPH)
      if (std::string why = TroubleOf(ChildOf(node)); !why.empty()) return why;
  }
  return {};
}

std::string TroubleOf(CUgraphExec exec) {
  cuuint64_t flags = 0;
  CallDriver("ask how a CUDA graph was made", Driver::Get().exec_flags, exec, &flags);
  return (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0 ? "kernels may launch the graph" : "";
}

// The first arguments of a call that changes one node.
struct NodeUpdate {
  CUgraphExec exec;
  CUgraphNode node;
};

}  // namespace

GraphTemplate::GraphTemplate(CUgraphExec exec, CUgraph graph) {
  try {
    kernels_ = KernelsOf(graph);
    trouble_ = TroubleOf(exec);
    if (trouble_.empty()) trouble_ = TroubleOf(graph);
    if (!trouble_.empty()) return;
    CallDriver("copy the graph", Driver::Get().graph_clone, &graph_, graph);
    kernels_ = KernelsOf(graph_);  // the copy's order numbers the kernels of a walk
  } catch (const Error& e) {
    trouble_ = e.what();
  }
}

GraphTemplate::~GraphTemplate() {
  ForgetContext(context_);
  if (graph_ != nullptr) Driver::Get().graph_destroy(graph_);
}

const std::vector<GraphKernel>& GraphTemplate::Kernels() {
  if (std::exchange(are_kernels_old_, false)) try {
      kernels_ = KernelsOf(graph_);
    } catch (const Error& e) {
      trouble_ = e.what();
    }
  return kernels_;
}

void GraphTemplate::Follow(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (!trouble_.empty()) return;
  constexpr const char* kDoing = "follow a change of one of its nodes";
  const Driver& driver = Driver::Get();
  try {
    CUgraphNode node = nullptr;
    CallDriver(kDoing, driver.node_in_clone, &node, static_cast<const NodeUpdate*>(call.functionParams)->node, graph_);
    switch (id) {
      case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams: {
        const auto& given = *static_cast<const cuGraphExecKernelNodeSetParams_params*>(call.functionParams)->nodeParams;
        CUDA_KERNEL_NODE_PARAMS params{};  // begins with the members of the older type
        std::memcpy(&params, &given, sizeof given);
        CallDriver(kDoing, driver.set_kernel_node, node, &params);
        break;
      }
      case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2:
        CallDriver(kDoing, driver.set_kernel_node, node,
                   static_cast<const cuGraphExecKernelNodeSetParams_v2_params*>(call.functionParams)->nodeParams);
        break;
      case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams:
        CallDriver(kDoing, driver.set_memcpy_node, node,
                   static_cast<const cuGraphExecMemcpyNodeSetParams_params*>(call.functionParams)->copyParams);
        break;
      case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams:
        CallDriver(kDoing, driver.set_memset_node, node,
                   static_cast<const cuGraphExecMemsetNodeSetParams_params*>(call.functionParams)->memsetParams);
        break;
      case CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams:
        CallDriver(kDoing, driver.set_node, node,
                   static_cast<const cuGraphExecNodeSetParams_params*>(call.functionParams)->nodeParams);
        break;
      default:
        NoteUnfollowed(call.functionName);
    }
    are_kernels_old_ = true;
  } catch (const Error& e) {
    trouble_ = e.what();
  }
}

void GraphTemplate::NoteUnfollowed(std::string_view function) {
  if (trouble_.empty())
    trouble_ = fmt::format("the program changed the graph by {}, which culprit does not follow", function);
}

void GraphTemplate::Await(CUstream stream) const {
  if (launched_ != nullptr) Driver::Get().stream_wait_event(stream, launched_, 0);
}

void GraphTemplate::NoteLaunch(CUcontext context, CUstream stream) {
  const Driver& driver = Driver::Get();
  if (driver.event_create == nullptr || driver.event_record == nullptr) return;
  ForgetContext(context == context_ ? nullptr : context_);
  if (launched_ == nullptr && driver.event_create(&launched_, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return;
  context_ = context;
  driver.event_record(launched_, stream);
}

void GraphTemplate::ForgetContext(CUcontext context) {
  if (launched_ == nullptr || context != context_) return;
  Driver::Get().event_destroy(launched_);
  launched_ = nullptr;
}

}  // namespace culprit
