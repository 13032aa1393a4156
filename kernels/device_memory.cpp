// SPDX-License-Identifier: Apache-2.0
#include "kernels/device_memory.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "db/error.h"

namespace culprit {
namespace {

void Check(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next launch does not report it again
  throw Error("cannot " + doing + ": " + cudaGetErrorString(status) +
              "; if memory is short choose a smaller shape, else run the stage alone under compute-sanitizer");
}

}  // namespace

void DeviceMemory::Free::operator()(void* memory) const { cudaFree(memory); }

DeviceMemory::DeviceMemory(std::size_t bytes) {
  void* memory = nullptr;
  Check(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)), "get memory on the device");
  memory_.reset(memory);
}

void DeviceMemory::UploadBytes(const void* from, std::size_t bytes) {
  if (bytes > 0) Check(cudaMemcpy(memory_.get(), from, bytes, cudaMemcpyHostToDevice), "copy to the device");
}

}  // namespace culprit
