// SPDX-License-Identifier: Apache-2.0
// The driver functions that are used inside the recorded program. They are looked up in the program's own CUDA, so that
// our library does not link libcuda.
#pragma once
#include <cuda.h>
#include <dlfcn.h>

#include <cstddef>

#include "profiler/cuda_context.h"

namespace culprit {

struct Driver {
  // Functions that the driver lacks are null.
  static const Driver& Get() {
    static const Driver driver;
    return driver;
  }

  CUresult (*stream_is_capturing)(CUstream, CUstreamCaptureStatus*) = Find("cuStreamIsCapturing");
  CUresult (*graph_nodes)(CUgraph, CUgraphNode*, std::size_t*) = Find("cuGraphGetNodes");
  CUresult (*node_type)(CUgraphNode, CUgraphNodeType*) = Find("cuGraphNodeGetType");
  CUresult (*kernel_node)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = Find("cuGraphKernelNodeGetParams_v2");
  CUresult (*function_name)(const char**, CUfunction) = Find("cuFuncGetName");
  CUresult (*kernel_name)(const char**, CUkernel) = Find("cuKernelGetName");

 private:
  static DriverEntry Find(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return {library != nullptr ? dlsym(library, name) : nullptr};
  }
};

}  // namespace culprit
