// SPDX-License-Identifier: Apache-2.0
#include "profiler/cuda_context.h"

#include <fmt/format.h>

#include <filesystem>

#include "db/error.h"

namespace culprit {

void CheckCuda(cudaError_t result, std::string_view doing, std::source_location where) {
  if (result == cudaSuccess) return;
  throw Error(fmt::format("cannot {}: {} [{}:{}]", doing, cudaGetErrorString(result),
                          std::filesystem::path(where.file_name()).filename().string(), where.line()));
}

CUcontext CurrentContext() {
  CheckCuda(cudaFree(nullptr), "make a CUDA context");
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  // 12000: the oldest driver API that we ask of a driver; cuCtxGetCurrent is older still.
  CheckCuda(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault, &found),
            "find cuCtxGetCurrent");
  CUcontext context = nullptr;
  if (found != cudaDriverEntryPointSuccess ||
      reinterpret_cast<CUresult (*)(CUcontext*)>(entry)(&context) != CUDA_SUCCESS)
    throw Error("cannot ask the driver for the current CUDA context: update the driver");
  return context;
}

}  // namespace culprit
