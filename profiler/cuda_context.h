// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <source_location>
#include <string_view>

namespace culprit {

// A function of the driver, as a pointer of the type that it is assigned to.
struct DriverEntry {
  void* entry;
  template <class Function>
  operator Function*() const {
    return reinterpret_cast<Function*>(entry);
  }
};

// The driver function `name` as of driver API version `since` (12030 is 12.3). Looked up through the runtime, so that
// programs start without a driver. Throws culprit::Error when the driver lacks it.
DriverEntry DriverFunction(const char* name, unsigned since);

// The calling thread's context. Makes the primary context of the current device if there is none.
CUcontext CurrentContext();

// Throws culprit::Error "cannot <doing>: <CUDA's words> [file:line]" unless `result` is success.
void CheckCuda(cudaError_t result, std::string_view doing,
               std::source_location where = std::source_location::current());

}  // namespace culprit
