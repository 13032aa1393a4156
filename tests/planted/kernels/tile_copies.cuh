// SPDX-License-Identifier: Apache-2.0
// Sums of tiles that the block's threads copy to shared memory asynchronously, kBytes at a time, kAhead tiles before
// they are added. Copies of 16 bytes can pass L1, narrower ones cannot.
#pragma once
#include "tests/planted/kernels/tile_sums.cuh"

namespace culprit::tile_sums {

enum class Way { kPastL1, kThroughL1 };

template <int kBytes, Way kWay>
__device__ __forceinline__ void CopyAsync(unsigned to, const char* from) {
  static_assert(kBytes == 16 || kWay == Way::kThroughL1, "only copies of 16 bytes can pass L1");
  if constexpr (kWay == Way::kPastL1)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(kBytes) : "memory");
}

// Each tile is added kTimes, the later times by threads that did not copy what they read.
template <int kBytes, int kAhead, Way kWay = kBytes == 16 ? Way::kPastL1 : Way::kThroughL1, int kTimes = 1>
__device__ __forceinline__ void SumCopiedTiles(const float4* in, float4* out) {
  extern __shared__ float4 tiles[];  // kAhead + 1
  const char* const mine = reinterpret_cast<const char*>(in + blockIdx.x * kBlockQuads) + threadIdx.x * kBytes;
  const unsigned room = static_cast<unsigned>(__cvta_generic_to_shared(tiles)) + threadIdx.x * kBytes;
  const auto copy = [&](int tile) {
    if (tile < kTiles) {
#pragma unroll
      for (int at = 0; at < kTileBytes; at += kThreads * kBytes)
        CopyAsync<kBytes, kWay>(room + tile % (kAhead + 1) * kTileBytes + at,
                                mine + static_cast<std::size_t>(tile) * kTileBytes + at);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
#pragma unroll
  for (int tile = 0; tile < kAhead; ++tile) copy(tile);
  float4 sums[kEach] = {};
#pragma unroll 1
  for (int tile = 0; tile < kTiles; ++tile) {
    copy(tile + kAhead);
    asm volatile("cp.async.wait_group %0;" ::"n"(kAhead) : "memory");
    __syncthreads();
#pragma unroll
    for (int time = 0; time < kTimes; ++time) Add(tiles + tile % (kAhead + 1) * kQuads, sums, time);
    __syncthreads();  // nobody reads the buffer any more
  }
  Store(sums, out);
}

}  // namespace culprit::tile_sums
