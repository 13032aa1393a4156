// SPDX-License-Identifier: Apache-2.0
// The common source of sgemm_smem, sgemm_smem_swapped and sgemm_smem_no_unroll. As in the original, blockIdx.x moves
// along m, and there are no bounds checks.
//
// The including file defines CULPRIT_SMEM_UNROLL, which precedes the loop over a tile's k: _Pragma("unroll") or
// nothing. A pragma cannot depend on a template parameter, hence the macro and the unnamed namespace.
#pragma once
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/square_tile.h"

namespace culprit {
namespace {

constexpr int kTile = SquareTile::kTile;

// Whether threadIdx.x moves along rows or down columns of A and B when tiles are copied.
enum class CopyX { kAlongRows, kAlongColumns };

template <CopyX kCopyX>
__device__ __forceinline__ void SmemGemm(const GemmProblem& p) {
  using Tile = SquareTile;
  __shared__ float a_tile[kTile * kTile];  // (m, k)
  __shared__ float b_tile[kTile * kTile];  // (k, n)
  const int n = p.shape.n, k = p.shape.k;
  const int x = threadIdx.x, y = threadIdx.y;
  const int copy_x = kCopyX == CopyX::kAlongRows ? x : y, copy_y = kCopyX == CopyX::kAlongRows ? y : x;
  const std::int64_t row0 = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t column0 = static_cast<std::int64_t>(blockIdx.y) * kTile;
  const float* a = p.a + (row0 + copy_y) * k + copy_x;
  const float* b = p.b + static_cast<std::int64_t>(copy_y) * n + column0 + copy_x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    a_tile[Tile::Store(copy_x, copy_y)] = a[k0];
    b_tile[Tile::Store(copy_x, copy_y)] = b[static_cast<std::int64_t>(k0) * n];
    __syncthreads();
    CULPRIT_SMEM_UNROLL
    for (int i = 0; i < kTile; ++i) sum += a_tile[Tile::LoadA(y, i)] * b_tile[Tile::LoadB(x, i)];
    __syncthreads();  // the next iteration overwrites both tiles
  }
  StoreElement(&p.c[(row0 + y) * n + column0 + x], p.alpha, sum, p.beta);
}

LaunchConfig SmemConfig(const GemmShape& s) {
  return {dim3(Tiles(s.m, kTile), Tiles(s.n, kTile)), dim3(kTile, kTile), 0};
}

}  // namespace
}  // namespace culprit
