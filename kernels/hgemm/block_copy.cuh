// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/hgemm/block_tile.h"
#include "kernels/stage.h"

namespace culprit {

// Copies a tile of A and B from global to shared memory, 16 bytes per access. Call Load while the previous tile is
// being multiplied, and Store when no thread reads that tile any more.
template <class Tiles>
struct BlockCopy {
  uint4 a[kACopyRounds], b[kBCopyRounds];

  __device__ __forceinline__ void Load(const HgemmProblem& p, int k0, int thread) {
    const __half* const a_from = p.a + static_cast<std::int64_t>(blockIdx.y) * kHgemmTileM * p.shape.k + k0;
    const __half* const b_from = p.b + static_cast<std::int64_t>(k0) * p.shape.n + blockIdx.x * kHgemmTileN;
#pragma unroll
    for (int i = 0; i < kACopyRounds; ++i) a[i] = Chunk(a_from, p.shape.k, ACopied(thread, i));
#pragma unroll
    for (int i = 0; i < kBCopyRounds; ++i) b[i] = Chunk(b_from, p.shape.n, BCopied(thread, i));
  }

  __device__ __forceinline__ void Store(__half* a_tile, __half* b_tile, int thread) const {
#pragma unroll
    for (int i = 0; i < kACopyRounds; ++i) {
      const TileChunk to = ACopied(thread, i);
      *reinterpret_cast<uint4*>(a_tile + Tiles::A(to.row, to.chunk)) = a[i];
    }
#pragma unroll
    for (int i = 0; i < kBCopyRounds; ++i) {
      const TileChunk to = BCopied(thread, i);
      *reinterpret_cast<uint4*>(b_tile + Tiles::B(to.row, to.chunk)) = b[i];
    }
  }

 private:
  static __device__ __forceinline__ uint4 Chunk(const __half* from, int row_halves, TileChunk at) {
    return *reinterpret_cast<const uint4*>(from + static_cast<std::int64_t>(at.row) * row_halves +
                                           at.chunk * kChunkHalves);
  }
};

// Multiplies C's tile from the tiles of A and B. Calls `multiply` for each tile when it is complete in shared
// memory.
template <class Tiles, class Multiply>
__device__ __forceinline__ void ForEachTile(const HgemmProblem& p, __half* a_tile, __half* b_tile, Multiply multiply) {
  const int thread = threadIdx.x, k = p.shape.k;
  BlockCopy<Tiles> next;
  if (k > 0) next.Load(p, 0, thread);
  for (int k0 = 0; k0 < k; k0 += kHgemmTileK) {
    next.Store(a_tile, b_tile, thread);
    __syncthreads();
    if (k0 + kHgemmTileK < k) next.Load(p, k0 + kHgemmTileK, thread);
    multiply();
    __syncthreads();  // the next iteration overwrites both tiles
  }
}

}  // namespace culprit
