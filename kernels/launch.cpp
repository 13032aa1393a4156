// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "db/error.h"

namespace culprit {
namespace {

// CUDA C++ Programming Guide, "Shared Memory": more than this per block needs an explicit request.
constexpr std::size_t kGrantedSharedBytes = 48 * 1024;

std::string NameOf(std::string_view stage, const void* kernel) {
  const char* symbol = nullptr;
  if (!stage.empty()) return std::string(stage);
  return cudaFuncGetName(&symbol, kernel) == cudaSuccess ? symbol : "of unknown name";
}

[[noreturn]] void Refused(std::string_view stage, const void* kernel, std::string_view doing, cudaError_t status) {
  cudaGetLastError();  // the refusal is reported here; the next launch must not report it again
  throw Error("cannot " + std::string(doing) + " of stage " + NameOf(stage, kernel) + ": " +
              cudaGetErrorString(status) + "; leave it out with --stages or use a GPU that has what it needs");
}

// The attribute belongs to a kernel on one device and persists, so it is set once for each pair.
void AskForShared(std::string_view stage, const void* kernel, std::size_t bytes) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, std::size_t> granted;
  int device = 0;
  if (const cudaError_t status = cudaGetDevice(&device)) Refused(stage, kernel, "find the device", status);
  const std::scoped_lock lock(mutex);
  std::size_t& have = granted[{kernel, device}];
  if (have >= bytes) return;
  const cudaError_t status =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (status != cudaSuccess)
    Refused(stage, kernel, "get " + std::to_string(bytes) + " bytes of dynamic shared memory", status);
  have = bytes;
}

}  // namespace

int Multiprocessors() {
  int device = 0, count = 0;
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) == cudaSuccess) {
    return count;
  }
  cudaGetLastError();  // the next launch must not report it
  return 132;
}

void RequireAlignment(std::string_view stage, const void* a, const void* b, const void* c, std::size_t alignment) {
  for (const auto& [name, pointer] : {std::pair{'A', a}, {'B', b}, {'C', c}}) {
    if (reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0) continue;
    throw Error("stage " + std::string(stage) + " needs A, B and C aligned to " + std::to_string(alignment) +
                " bytes, and " + name + " is not: pass it as cudaMalloc returns it, which aligns to 256");
  }
}

void EnqueueWithArguments(std::string_view stage, const void* kernel, const LaunchConfig& config, void** arguments,
                          cudaStream_t stream) {
  if (config.dynamic_shared_bytes > kGrantedSharedBytes) AskForShared(stage, kernel, config.dynamic_shared_bytes);
  const cudaError_t status =
      cudaLaunchKernel(kernel, config.grid, config.block, arguments, config.dynamic_shared_bytes, stream);
  if (status != cudaSuccess) Refused(stage, kernel, "launch the kernel", status);
  // Only here does a refusal by the driver show that comes after its check of the arguments.
  if (const cudaError_t late = cudaGetLastError(); late != cudaSuccess)
    Refused(stage, kernel, "launch the kernel", late);
}

}  // namespace culprit
