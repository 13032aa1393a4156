// SPDX-License-Identifier: Apache-2.0
// Kernels that do not end alone: one waits for the host, one for another kernel. And kernels that last for 50 ms.
#include <chrono>
#include <thread>

#include "kinds.h"

namespace kinds {
namespace {

constexpr int kCount = 1 << 16;
constexpr unsigned kBlocks = kCount / 256;
constexpr double kRoundsASecond = 15;
constexpr int kLongSteps = 22'000'000;  // 50 ms
constexpr float kShrink = 0.5f, kAdd = 1.0f;

__global__ void WaitForHost(const volatile int* go, int* passed) {
  while (*go == 0) {
  }
  ++*passed;
}

// One block. The kernel that it waits for is launched later, on another stream.
__global__ void WaitForPeer(const volatile int* ready, int round, const volatile float* values, float* sums) {
  if (threadIdx.x == 0)
    while (*ready < round) {
    }
  __syncthreads();
  __threadfence();
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kCount; i += 256) sum += values[i];
  sums[threadIdx.x] = sum;
}

__global__ void Produce(float* values, unsigned* done, volatile int* ready, int round) {
  values[blockIdx.x * 256 + threadIdx.x] = static_cast<float>(round);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(done, 1u) + 1 == kBlocks * static_cast<unsigned>(round)) *ready = round;
}

// Comes to 2 from any start.
__global__ void Long(float* values) {
  float value = values[blockIdx.x * 256 + threadIdx.x];
  for (int step = 0; step < kLongSteps; ++step) value = fmaf(value, kShrink, kAdd);
  values[blockIdx.x * 256 + threadIdx.x] = value;
}

}  // namespace

bool Waiting(double seconds) {
  const int rounds = Rounds(seconds, kRoundsASecond);
  int* go = nullptr;
  Check(cudaHostAlloc(&go, sizeof *go, cudaHostAllocMapped));
  const Array<int> passed(1), ready(1);
  const Array<unsigned> done(1);
  const Array<float> values(kCount), sums(256), converged(kCount);
  cudaStream_t waits, works;
  Check(cudaStreamCreateWithFlags(&waits, cudaStreamNonBlocking));
  Check(cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking));
  cudaFuncAttributes loaded;  // loading a kernel may wait for those that run, so all are loaded before the first
  Check(cudaFuncGetAttributes(&loaded, WaitForHost));
  Check(cudaFuncGetAttributes(&loaded, WaitForPeer));
  Check(cudaFuncGetAttributes(&loaded, Produce));
  Check(cudaFuncGetAttributes(&loaded, Long));
  GpuTime time(works);
  double sum = 0, wanted = 0;
  for (int round = 1; round <= rounds; ++round) {
    *static_cast<volatile int*>(go) = 0;
    WaitForHost<<<1, 1, 0, waits>>>(go, passed.get());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    *static_cast<volatile int*>(go) = 1;
    Check(cudaStreamSynchronize(waits));
    WaitForPeer<<<1, 256, 0, waits>>>(ready.get(), round, values.get(), sums.get());
    Produce<<<kBlocks, 256, 0, works>>>(values.get(), done.get(), ready.get(), round);
    Check(cudaStreamSynchronize(waits));
    time.Mark();
    Long<<<kBlocks, 256, 0, works>>>(converged.get());
    time.Mark();
    for (const float part : sums.Values()) sum += part;
    wanted += static_cast<double>(kCount) * round;
  }
  Check(cudaFreeHost(go));
  bool is_right = Is("kernels that waited for the host", passed.Values()[0], rounds, 0);
  is_right = Is("what peers produced", sum, wanted, 1e-6) && is_right;
  sum = 0;
  for (const float value : converged.Values()) sum += value;
  return Is("where long kernels came to", sum / kCount, 2, 1e-6) && is_right;
}

}  // namespace kinds
