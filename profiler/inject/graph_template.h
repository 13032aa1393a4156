// SPDX-License-Identifier: Apache-2.0
// What an executable CUDA graph launches. CUDA does not tell this of the executable graph, and programs change or destroy
// the graph that it was made of. So this keeps a copy and changes it as the executable graph is changed.
#pragma once
#include <cuda.h>
#include <cupti.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/inject/graph_nodes.h"

namespace culprit {

// Calls that change an executable graph. It is the first argument of each, and the changed node is the second.
inline constexpr std::array kGraphUpdates = {
    // They change all nodes. The second argument is another graph.
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams,
    // A graph that was changed by one of these is not taken apart.
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecHostNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecEventRecordNodeSetEvent,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecEventWaitNodeSetEvent,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecExternalSemaphoresSignalNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecExternalSemaphoresWaitNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecBatchMemOpNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled,
};

class GraphTemplate {
 public:
  // `graph`: `exec` was made of it.
  GraphTemplate(CUgraphExec exec, CUgraph graph);
  ~GraphTemplate();
  GraphTemplate(const GraphTemplate&) = delete;

  // See KernelsOf.
  const std::vector<GraphKernel>& Kernels();
  // Why the graph cannot be taken apart, in parentheses of a sentence. Empty: it can.
  const std::string& trouble() const { return trouble_; }
  // The graph was changed by a call that is not followed.
  void NoteUnfollowed(std::string_view function);
  // The copy. Null if there is trouble.
  CUgraph graph() const { return graph_; }

  // A call of kGraphUpdates that changes one node has succeeded.
  void Follow(CUpti_CallbackId id, const CUpti_CallbackData& call);

  // The driver executes launches of one executable graph one after the other, also on different streams. With these two,
  // before and after each launch, launches of its parts wait for each other, too.
  void Await(CUstream stream) const;
  void NoteLaunch(CUcontext context, CUstream stream);
  void ForgetContext(CUcontext context);

 private:
  CUgraph graph_ = nullptr;
  std::vector<GraphKernel> kernels_;
  bool are_kernels_old_ = false;
  std::string trouble_;
  CUcontext context_ = nullptr;  // of launched_
  CUevent launched_ = nullptr;   // recorded after the last launch
};

}  // namespace culprit
