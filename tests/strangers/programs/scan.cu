// SPDX-License-Identifier: Apache-2.0
// Running sums of blocks of 2048 numbers, eight a thread: what a thread sums goes through shared memory, so that
// neighbouring threads read neighbouring numbers from memory.
#include "job.h"

namespace {
constexpr int kThreads = 256, kEach = 8, kBlock = kThreads * kEach, kCount = 1 << 23;

__device__ __forceinline__ int Slot(int i) {
#ifdef CHANGE_B
  return i;
#else
  return i + i / kEach;
#endif
}
}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) block_scan(const int* in, int* out) {
  __shared__ int staged[kBlock + kThreads];
  __shared__ int totals[kThreads];
  const int t = threadIdx.x;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kBlock;
#pragma unroll
  for (int k = 0; k < kEach; ++k) staged[Slot(k * kThreads + t)] = in[first + k * kThreads + t];
  __syncthreads();
  int mine[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) mine[k] = staged[Slot(t * kEach + k)];
#pragma unroll
  for (int k = 1; k < kEach; ++k) mine[k] += mine[k - 1];
  int before = mine[kEach - 1];
#ifdef CHANGE_A
  totals[t] = before;
  for (int step = 1; step < kThreads; step *= 2) {
    __syncthreads();
    const int other = t >= step ? totals[t - step] : 0;
    __syncthreads();
    totals[t] = before += other;
  }
#else
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(~0u, before, step);
    if (t % 32 >= step) before += other;
  }
  if (t % 32 == 31) totals[t / 32] = before;
  __syncthreads();
  for (int warp = 0; warp < t / 32; ++warp) before += totals[warp];
#endif
  before -= mine[kEach - 1];
#pragma unroll
  for (int k = 0; k < kEach; ++k) staged[Slot(t * kEach + k)] = before + mine[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; ++k) out[first + k * kThreads + t] = staged[Slot(k * kThreads + t)];
}

std::vector<double> Scan() {
  std::vector<int> values(kCount);
  Numbers numbers(3);
  for (int& value : values) value = static_cast<int>(numbers.Next() % 100);
  int *in = OnDevice(values), *out = OnDevice<int>(kCount);
  for (int i = 0; i < kLaunches; ++i) block_scan<<<kCount / kBlock, kThreads>>>(in, out);
  return FromDevice(out, kCount);
}
