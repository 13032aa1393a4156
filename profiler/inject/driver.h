// SPDX-License-Identifier: Apache-2.0
// The driver functions that are used inside the recorded program. They are looked up in the program's own CUDA, so that
// our library does not link libcuda.
#pragma once
#include <cuda.h>
#include <dlfcn.h>

#include <cstddef>
#include <string>

#include "db/error.h"
#include "profiler/cuda_context.h"

namespace culprit {

struct Driver {
  // Functions that the driver lacks are null.
  static const Driver& Get() {
    static const Driver driver;
    return driver;
  }

  CUresult (*memory_info)(std::size_t* free, std::size_t* total) = Find("cuMemGetInfo_v2");
  CUresult (*stream_is_capturing)(CUstream, CUstreamCaptureStatus*) = Find("cuStreamIsCapturing");
  CUresult (*exchange_capture_mode)(CUstreamCaptureMode*) = Find("cuThreadExchangeStreamCaptureMode");
  CUresult (*function_name)(const char**, CUfunction) = Find("cuFuncGetName");
  CUresult (*kernel_name)(const char**, CUkernel) = Find("cuKernelGetName");
  CUresult (*error_name)(CUresult, const char**) = Find("cuGetErrorName");
  CUresult (*launch_kernel)(const CUlaunchConfig*, CUfunction, void**, void**) = Find("cuLaunchKernelEx");

  CUresult (*event_create)(CUevent*, unsigned) = Find("cuEventCreate");
  CUresult (*event_destroy)(CUevent) = Find("cuEventDestroy_v2");
  CUresult (*event_record)(CUevent, CUstream) = Find("cuEventRecord");
  CUresult (*stream_wait_event)(CUstream, CUevent, unsigned) = Find("cuStreamWaitEvent");

  CUresult (*graph_nodes)(CUgraph, CUgraphNode*, std::size_t*) = Find("cuGraphGetNodes");
  CUresult (*graph_edges)(CUgraph, CUgraphNode*, CUgraphNode*, CUgraphEdgeData*,
                          std::size_t*) = Find("cuGraphGetEdges_v2");
  CUresult (*graph_clone)(CUgraph*, CUgraph) = Find("cuGraphClone");
  CUresult (*graph_destroy)(CUgraph) = Find("cuGraphDestroy");
  CUresult (*node_type)(CUgraphNode, CUgraphNodeType*) = Find("cuGraphNodeGetType");
  CUresult (*node_in_clone)(CUgraphNode*, CUgraphNode, CUgraph) = Find("cuGraphNodeFindInClone");
  CUresult (*node_destroy)(CUgraphNode) = Find("cuGraphDestroyNode");
  CUresult (*child_graph)(CUgraphNode, CUgraph*) = Find("cuGraphChildGraphNodeGetGraph");
  CUresult (*kernel_node)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = Find("cuGraphKernelNodeGetParams_v2");
  CUresult (*kernel_attribute)(CUgraphNode, CUlaunchAttributeID,
                               CUlaunchAttributeValue*) = Find("cuGraphKernelNodeGetAttribute");
  CUresult (*set_kernel_node)(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS*) = Find("cuGraphKernelNodeSetParams_v2");
  CUresult (*set_memcpy_node)(CUgraphNode, const CUDA_MEMCPY3D*) = Find("cuGraphMemcpyNodeSetParams");
  CUresult (*set_memset_node)(CUgraphNode, const CUDA_MEMSET_NODE_PARAMS*) = Find("cuGraphMemsetNodeSetParams");
  CUresult (*set_node)(CUgraphNode, CUgraphNodeParams*) = Find("cuGraphNodeSetParams");

  CUresult (*exec_instantiate)(CUgraphExec*, CUgraph, unsigned long long) = Find("cuGraphInstantiateWithFlags");
  CUresult (*exec_flags)(CUgraphExec, cuuint64_t*) = Find("cuGraphExecGetFlags");
  CUresult (*exec_launch)(CUgraphExec, CUstream) = Find("cuGraphLaunch");
  CUresult (*exec_destroy)(CUgraphExec) = Find("cuGraphExecDestroy");

 private:
  static DriverEntry Find(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return {library != nullptr ? dlsym(library, name) : nullptr};
  }
};

// Throws Error "cannot <doing>: <the driver's word>" unless the driver has the function and it succeeds.
template <class... Parameters, class... Arguments>
void CallDriver(const char* doing, CUresult (*function)(Parameters...), Arguments... arguments) {
  const CUresult result = function != nullptr ? function(arguments...) : CUDA_ERROR_NOT_FOUND;
  if (result == CUDA_SUCCESS) return;
  const char* word = nullptr;
  const auto name = Driver::Get().error_name;
  if (name == nullptr || name(result, &word) != CUDA_SUCCESS || word == nullptr) word = "unknown error";
  throw Error(std::string("cannot ") + doing + ": " + word);
}

}  // namespace culprit
