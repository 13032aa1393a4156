// SPDX-License-Identifier: Apache-2.0
#include "profiler/cuda_context.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "db/error.h"

namespace culprit {

void CheckCuda(cudaError_t result, std::string_view doing, std::source_location where) {
  if (result == cudaSuccess) return;
  throw Error(fmt::format("cannot {}: {} [{}:{}]", doing, cudaGetErrorString(result),
                          std::filesystem::path(where.file_name()).filename().string(), where.line()));
}

DriverEntry DriverFunction(const char* name, unsigned since) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CheckCuda(cudaGetDriverEntryPointByVersion(name, &entry, since, cudaEnableDefault, &found),
            std::string("find ") + name);
  if (found != cudaDriverEntryPointSuccess)
    throw Error(std::string("the driver has no ") + name + ": update the driver");
  return {entry};
}

CUcontext CurrentContext() {
  CheckCuda(cudaFree(nullptr), "make a CUDA context");
  // 12000: the oldest driver API version that we request; cuCtxGetCurrent is older.
  CUresult (*const get_current)(CUcontext*) = DriverFunction("cuCtxGetCurrent", 12000);
  CUcontext context = nullptr;
  if (get_current(&context) != CUDA_SUCCESS)
    throw Error("cannot ask the driver for the current CUDA context: update the driver");
  return context;
}

}  // namespace culprit
