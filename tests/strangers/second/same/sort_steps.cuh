// SPDX-License-Identifier: Apache-2.0
// Two steps of a pass of a radix sort.
#pragma once

// Which of its warp's keys of the same digit each key is.
template <class D, int kEach>
__device__ __forceinline__ void RankWithinWarp(const std::uint32_t (&mine)[kEach], int shift, int (&seen)[D::kValues],
                                               int (&place)[kEach]) {
  const int lane = threadIdx.x % 32;
  const unsigned below = (1u << lane) - 1;
#pragma unroll
  for (int n = 0; n < kEach; ++n) {
    const int d = D::Of(mine[n], shift);
    const unsigned peers = __match_any_sync(~0u, d);
    const int rank = __popc(peers & below);
    int earlier = 0;
    if (rank == 0) {
      earlier = seen[d];
      seen[d] = earlier + __popc(peers);
    }
    place[n] = __shfl_sync(~0u, earlier, __ffs(peers) - 1) + rank;
    __syncwarp();
  }
}

// Where each warp's keys of each digit begin, in the block and in memory; by one warp.
template <class D, int kWarps>
__device__ __forceinline__ void PlaceDigits(const int* __restrict__ begins, int (&counts)[kWarps][D::kValues],
                                            int (&begin_out)[D::kValues]) {
  const int lane = threadIdx.x;
  int sum[2] = {0, 0};
#pragma unroll
  for (int odd = 0; odd < 2; ++odd)
    for (int w = 0; w < kWarps; ++w) {
      const int count = counts[w][2 * lane + odd];
      counts[w][2 * lane + odd] = sum[odd];
      sum[odd] += count;
    }
  int before = sum[0] + sum[1];
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(~0u, before, step);
    if (lane >= step) before += other;
  }
  before -= sum[0] + sum[1];
#pragma unroll
  for (int odd = 0; odd < 2; ++odd) {
    const int digit = 2 * lane + odd;
    for (int w = 0; w < kWarps; ++w) counts[w][digit] += before;
    begin_out[digit] = begins[digit * gridDim.x + blockIdx.x] - before;
    before += sum[0];
  }
}
