// SPDX-License-Identifier: Apache-2.0
// What is asked of the driver in somebody else's program. Looked up where the program's own CUDA has it, so that the
// library needs no libcuda of its own.
#pragma once
#include <cuda.h>
#include <dlfcn.h>

#include <cstddef>

namespace culprit {

struct Driver {
  // A function that the driver lacks is null.
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
  struct Found {
    void* entry;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(entry);
    }
  };
  static Found Find(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return {library != nullptr ? dlsym(library, name) : nullptr};
  }
};

}  // namespace culprit
