// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "db/shared_access.h"

namespace culprit {

template <class T>
__device__ T WarpSum(T value) {
  for (int step = kWarpLanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

// The sum over a block of `kThreads` threads (a multiple of 32), in thread 0. Every thread calls it, once per kernel.
// A value passes at most 5 + kThreads / 32 - 1 additions.
template <int kThreads, class T>
__device__ T BlockSum(T value) {
  static_assert(kThreads % kWarpLanes == 0, "whole warps, as their lanes exchange values");
  __shared__ T of_warp[kThreads / kWarpLanes];
  value = WarpSum(value);
  if (threadIdx.x % kWarpLanes == 0) of_warp[threadIdx.x / kWarpLanes] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int warp = 1; warp < kThreads / kWarpLanes; ++warp) value += of_warp[warp];
  return value;
}

}  // namespace culprit
