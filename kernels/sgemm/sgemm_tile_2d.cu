// SPDX-License-Identifier: Apache-2.0
// Two-dimensional thread tiles: 8x8 results per thread as a sum of outer products, k outermost.
// Idea     for one k, 8 values of A and 8 of B give 64 products: the source names each operand where it needs it, and
//          it is left to the compiler to load it once.
// Expect   shared loads per FFMA fall from 48/128 (sgemm_tile_1d) to 10/64: nvcc 13.0 loads each operand once a k,
//          though the source names it 8 times (smsp__inst_executed_op_shared_ld: 335,544,320 at 4096).
// Not yet  loads are 32 bits wide in the source (sgemm_float4).
// The source of this kernel bounds B's columns by K and its rows by N; here, as it must be, columns by n and rows by k.
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/scalar_tile.h"

namespace {
using Tile = culprit::ScalarTile<8, 8>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_tile_2d(culprit::GemmProblem p) {
  __shared__ float a_tile[Tile::kTileM * Tile::kTileK];
  __shared__ float b_tile[Tile::kTileK * Tile::kTileN];
  const auto [m, n, k] = p.shape;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row0 = blockIdx.y * Tile::kTileM, column0 = blockIdx.x * Tile::kTileN;
  float sum[Tile::kThreadM][Tile::kThreadN] = {};
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
      for (int r = 0; r < Tile::kThreadM; ++r) {
        for (int c = 0; c < Tile::kThreadN; ++c) {
          sum[r][c] += a_tile[Tile::A(Tile::Row(y, r), i)] * b_tile[Tile::B(i, Tile::Column(x, c))];
        }
      }
    }
    __syncthreads();  // the next iteration overwrites both tiles
  }
  for (int r = 0; r < Tile::kThreadM; ++r) {
    for (int c = 0; c < Tile::kThreadN; ++c) {
      const int row = row0 + Tile::Row(y, r), column = column0 + Tile::Column(x, c);
      if (row >= m || column >= n) continue;
      culprit::StoreElement(&p.c[static_cast<std::int64_t>(row) * n + column], p.alpha, sum[r][c], p.beta);
    }
  }
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) {
  return {dim3(Tiles(s.n, Tile::kTileN), Tiles(s.m, Tile::kTileM)), dim3(Tile::kThreadsX, Tile::kThreadsY), 0};
}
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_tile_2d", ::sgemm_tile_2d, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmTile2dStage() {
  return {.id = "sgemm_tile_2d",
          .family = "ladder",
          .parent = "sgemm_tile_1d",
          .idea = "8x8 results per thread, by outer products",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = "128x128x16",
                                   .thread_tile = "8x8",
                                   .a_tile_layout = "row-major",
                                   .loop_nest = "k->m->n",
                                   .shared_buffers = "1, two barriers a tile"}
                         .Named(),
          .source_file = "kernels/sgemm/sgemm_tile_2d.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_tile_2d),
          .config = Config,
          .shared_accesses = ScalarTileAccesses<Tile>(1, 4),
          .launch = Launch};
}
}  // namespace culprit
