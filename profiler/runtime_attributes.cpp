// SPDX-License-Identifier: Apache-2.0
#include "profiler/runtime_attributes.h"

#include <cuda_runtime_api.h>

#include <string>

#include "db/error.h"

namespace culprit {

std::vector<StaticAttribute> RuntimeAttributes(const void* kernel) {
  cudaFuncAttributes a{};
  if (const cudaError_t status = cudaFuncGetAttributes(&a, kernel); status != cudaSuccess) {
    cudaGetLastError();  // reported here; the next launch must not report it again
    throw Error(std::string("cannot ask CUDA for a kernel's attributes: ") + cudaGetErrorString(status) +
                "; build for this GPU with -DCULPRIT_CUDA_ARCHITECTURES=native");
  }
  const auto attribute = [](const char* name, double value) {
    return StaticAttribute{name, "runtime", value, ReadingStatus::kOk};
  };
  return {attribute("registers", a.numRegs), attribute("static_shared_bytes", static_cast<double>(a.sharedSizeBytes)),
          attribute("user_constant_bytes", static_cast<double>(a.constSizeBytes)),
          attribute("local_bytes", static_cast<double>(a.localSizeBytes)),
          attribute("max_threads", a.maxThreadsPerBlock)};
}

}  // namespace culprit
