// SPDX-License-Identifier: Apache-2.0
// The common source of sgemm_tile_2d and sgemm_tile_2d_reg: 8x8 results per thread, any size. The original bounds B's
// columns by K and its rows by N; this correctly bounds columns by n and rows by k. sgemm_tile_2d_kinner has its own
// source, because nvcc 13.0 (sm_90) makes another kernel of it from this one.
#pragma once
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/scalar_tile.h"

namespace culprit {
namespace {

using Tile = ScalarTile<8, 8>;

// The source reads a product's operands from the tiles, or from registers with all operands of one k.
enum class Operands { kShared, kFragments };

template <Operands kOperands>
__device__ __forceinline__ void Tile2dGemm(const GemmProblem& p) {
  __shared__ float a_tile[Tile::kTileM * Tile::kTileK];
  __shared__ float b_tile[Tile::kTileK * Tile::kTileN];
  const auto [m, n, k] = p.shape;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row0 = blockIdx.y * Tile::kTileM, column0 = blockIdx.x * Tile::kTileN;
  float sum[Tile::kThreadM][Tile::kThreadN] = {};
  float a_fragment[Tile::kThreadM], b_fragment[Tile::kThreadN];  // kFragments
  for (int k0 = 0; k0 < k; k0 += Tile::kTileK) {
    for (int i = 0; i < Tile::kThreadM; ++i) {
      const int row = Tile::Row(y, i);
      const bool inside = row0 + row < m && k0 + x < k;
      a_tile[Tile::A(row, x)] = inside ? p.a[static_cast<std::int64_t>(row0 + row) * k + k0 + x] : 0.0f;
    }
    for (int j = 0; j < Tile::kThreadN; ++j) {
      const int column = Tile::Column(x, j);
      const bool inside = k0 + y < k && column0 + column < n;
      b_tile[Tile::B(y, column)] = inside ? p.b[static_cast<std::int64_t>(k0 + y) * n + column0 + column] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < Tile::kTileK; ++i) {
      if constexpr (kOperands == Operands::kShared) {
        for (int r = 0; r < Tile::kThreadM; ++r) {
          for (int c = 0; c < Tile::kThreadN; ++c) {
            sum[r][c] += a_tile[Tile::A(Tile::Row(y, r), i)] * b_tile[Tile::B(i, Tile::Column(x, c))];
          }
        }
      } else {
        for (int r = 0; r < Tile::kThreadM; ++r) a_fragment[r] = a_tile[Tile::A(Tile::Row(y, r), i)];
        for (int c = 0; c < Tile::kThreadN; ++c) b_fragment[c] = b_tile[Tile::B(i, Tile::Column(x, c))];
        for (int r = 0; r < Tile::kThreadM; ++r) {
          for (int c = 0; c < Tile::kThreadN; ++c) sum[r][c] += a_fragment[r] * b_fragment[c];
        }
      }
    }
    __syncthreads();  // the next iteration overwrites both tiles
  }
  for (int r = 0; r < Tile::kThreadM; ++r) {
    for (int c = 0; c < Tile::kThreadN; ++c) {
      const int row = row0 + Tile::Row(y, r), column = column0 + Tile::Column(x, c);
      if (row >= m || column >= n) continue;
      StoreElement(&p.c[static_cast<std::int64_t>(row) * n + column], p.alpha, sum[r][c], p.beta);
    }
  }
}

LaunchConfig Tile2dConfig(const GemmShape& s) {
  return {dim3(Tiles(s.n, Tile::kTileN), Tiles(s.m, Tile::kTileM)), dim3(Tile::kThreadsX, Tile::kThreadsY), 0};
}

}  // namespace
}  // namespace culprit
