// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <source_location>
#include <string_view>

namespace culprit {

// The context of the calling thread; makes the primary context of the current device if there is none.
// Asked through the runtime, so that programs start on machines without a driver.
CUcontext CurrentContext();

// Throws culprit::Error "cannot <doing>: <CUDA's words> [file:line]" unless `result` is success.
void CheckCuda(cudaError_t result, std::string_view doing,
               std::source_location where = std::source_location::current());

}  // namespace culprit
