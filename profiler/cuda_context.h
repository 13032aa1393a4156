// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <source_location>
#include <string_view>

namespace culprit {

// The driver's function `name`, as it was in driver API version `since` (12030 is 12.3). Asked through the runtime, so
// that programs start on machines without a driver. Throws culprit::Error when the driver has none.
void* DriverEntry(const char* name, unsigned since);

template <class Function>
Function DriverFunction(const char* name, unsigned since) {
  return reinterpret_cast<Function>(DriverEntry(name, since));
}

// The context of the calling thread; makes the primary context of the current device if there is none.
CUcontext CurrentContext();

// Throws culprit::Error "cannot <doing>: <CUDA's words> [file:line]" unless `result` is success.
void CheckCuda(cudaError_t result, std::string_view doing,
               std::source_location where = std::source_location::current());

}  // namespace culprit
