// SPDX-License-Identifier: Apache-2.0
// The common source of the WMMA stages, so that they differ only in the layout of their tiles.
#pragma once
#include <mma.h>

#include <cstddef>

#include "kernels/hgemm/block_copy.cuh"

namespace culprit {

// CUDA C++ Programming Guide, "Warp Matrix Functions": load_matrix_sync and store_matrix_sync need 256-bit alignment,
// and C is stored with the latter.
inline constexpr std::size_t kWmmaAlignment = 32;

template <class Tiles>
__device__ __forceinline__ void WmmaBlock(const HgemmProblem& p) {
  using namespace nvcuda;
  constexpr int kSize = 16;  // m, n and k of a fragment
  using A = wmma::fragment<wmma::matrix_a, kSize, kSize, kSize, __half, wmma::row_major>;
  using B = wmma::fragment<wmma::matrix_b, kSize, kSize, kSize, __half, wmma::row_major>;
  using C = wmma::fragment<wmma::accumulator, kSize, kSize, kSize, float>;
  constexpr int kRows = kHgemmWarpM / kSize, kColumns = kHgemmWarpN / kSize;
  __shared__ __align__(128) __half a_tile[kHgemmTileM * Tiles::kARow];
  __shared__ __align__(128) __half b_tile[kHgemmTileK * Tiles::kBRow];
  const int warp_row = WarpRow(threadIdx.x), warp_column = WarpColumn(threadIdx.x);

  C sum[kRows][kColumns];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
  }
  ForEachTile<Tiles>(p, a_tile, b_tile, [&] {
#pragma unroll
    for (int step = 0; step < kHgemmTileK / kSize; ++step) {
      A a[kRows];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        wmma::load_matrix_sync(a[i], a_tile + Tiles::A(warp_row + i * kSize, step * kSize / kChunkHalves),
                               Tiles::kARow);
      }
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        B b;
        wmma::load_matrix_sync(b, b_tile + Tiles::B(step * kSize, (warp_column + j * kSize) / kChunkHalves),
                               Tiles::kBRow);
#pragma unroll
        for (int i = 0; i < kRows; ++i) wmma::mma_sync(sum[i][j], a[i], b, sum[i][j]);
      }
    }
  });

  const int n = p.shape.n;
  float* const c = p.c + (static_cast<std::int64_t>(blockIdx.y) * kHgemmTileM + warp_row) * n +
                   blockIdx.x * kHgemmTileN + warp_column;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      float* const c_at = c + static_cast<std::int64_t>(i) * kSize * n + j * kSize;
      C& out = sum[i][j];
#pragma unroll
      for (int e = 0; e < C::num_elements; ++e) out.x[e] *= p.alpha;
      if (p.beta != 0.0f) {
        C old;
        wmma::load_matrix_sync(old, c_at, n, wmma::mem_row_major);
#pragma unroll
        for (int e = 0; e < C::num_elements; ++e) out.x[e] += p.beta * old.x[e];
      }
      wmma::store_matrix_sync(c_at, out, n, wmma::mem_row_major);
    }
  }
}

}  // namespace culprit
