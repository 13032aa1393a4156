// SPDX-License-Identifier: Apache-2.0
// Sums over a block.
#pragma once

struct Sums {
  float first, second;
};

__device__ __forceinline__ Sums SumOfWarp(Sums mine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    mine.first += __shfl_xor_sync(~0u, mine.first, step);
    mine.second += __shfl_xor_sync(~0u, mine.second, step);
  }
  return mine;
}

// All threads get it. The block must have met since the last.
template <int kWarps>
__device__ __forceinline__ Sums SumOfBlock(Sums mine, Sums (&scratch)[kWarps]) {
  mine = SumOfWarp(mine);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = mine;
  __syncthreads();
  Sums all = {0, 0};
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    all.first += scratch[warp].first;
    all.second += scratch[warp].second;
  }
  return all;
}
