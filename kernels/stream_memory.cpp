// SPDX-License-Identifier: Apache-2.0
#include "kernels/stream_memory.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "db/error.h"

namespace culprit {
namespace {

void Check(cudaError_t status, std::string_view stage, std::size_t bytes) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next launch does not report it again
  throw Error("cannot get " + std::to_string(bytes) + " bytes of memory on the device for stage " + std::string(stage) +
              ": " + cudaGetErrorString(status) + "; choose a smaller shape, or leave the stage out with --stages");
}

bool IsCapturing(std::string_view stage, std::size_t bytes, cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  Check(cudaStreamIsCapturing(stream, &status), stage, bytes);
  return status != cudaStreamCaptureStatusNone;
}

// One pool per device, never freed, because streams may use it until the program ends. CUDA creates none while `stream`
// captures a graph; until then, captured allocations use CUDA's default pool.
cudaMemPool_t PoolOfDevice(std::string_view stage, std::size_t bytes, cudaStream_t stream) {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  int device = 0;
  Check(cudaGetDevice(&device), stage, bytes);
  const std::scoped_lock lock(mutex);
  cudaMemPool_t& pool = pools[device];
  if (pool == nullptr) {
    cudaMemPoolProps what{};
    what.allocType = cudaMemAllocationTypePinned;
    what.location = {.type = cudaMemLocationTypeDevice, .id = device};
    cudaMemPool_t made = nullptr;
    if (IsCapturing(stage, bytes, stream)) {
      Check(cudaDeviceGetDefaultMemPool(&made, device), stage, bytes);
      return made;
    }
    std::uint64_t keeps = UINT64_MAX;
    Check(cudaMemPoolCreate(&made, &what), stage, bytes);
    const cudaError_t set = cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keeps);
    if (set != cudaSuccess) cudaMemPoolDestroy(made);
    Check(set, stage, bytes);
    pool = made;
  }
  return pool;
}

}  // namespace

StreamMemory::StreamMemory(std::string_view stage, std::size_t bytes, cudaStream_t stream) : stream_(stream) {
  Check(cudaMallocFromPoolAsync(&memory_, bytes, PoolOfDevice(stage, bytes, stream), stream), stage, bytes);
}

StreamMemory::~StreamMemory() { cudaFreeAsync(memory_, stream_); }

int* CountersOf(std::string_view stage, int count, cudaStream_t stream) {
  static std::mutex mutex;
  static std::map<std::tuple<int, unsigned long long, int>, int*> counters;
  constexpr int kAtOnce = 4096;
  count = (count + kAtOnce - 1) / kAtOnce * kAtOnce;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
  int device = 0;
  unsigned long long id = 0;
  Check(cudaGetDevice(&device), stage, bytes);
  const bool captured = IsCapturing(stage, bytes, stream);
  if (!captured) Check(cudaStreamGetId(stream, &id), stage, bytes);  // fails on a capturing stream and ends the capture
  const std::scoped_lock lock(mutex);
  if (const auto of_stream = counters.find({device, id, count}); !captured && of_stream != counters.end()) {
    return of_stream->second;
  }
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  Check(cudaThreadExchangeStreamCaptureMode(&mode), stage, bytes);
  void* made = nullptr;
  cudaStream_t other = nullptr;  // `stream` may be capturing
  cudaError_t status = cudaMalloc(&made, bytes);
  if (status == cudaSuccess) status = cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  if (status == cudaSuccess) status = cudaMemsetAsync(made, 0, bytes, other);
  if (status == cudaSuccess) status = cudaStreamSynchronize(other);
  if (other != nullptr) cudaStreamDestroy(other);
  if (status != cudaSuccess) cudaFree(made);  // freeing nullptr is no error
  Check(cudaThreadExchangeStreamCaptureMode(&mode), stage, bytes);
  Check(status, stage, bytes);
  if (!captured) counters[{device, id, count}] = static_cast<int*>(made);
  return static_cast<int*>(made);
}

}  // namespace culprit
