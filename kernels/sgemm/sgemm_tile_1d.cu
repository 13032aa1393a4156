// SPDX-License-Identifier: Apache-2.0
// One-dimensional thread tiles: 8 results below one another per thread.
// Idea     a value of B, once loaded from shared memory, serves 8 FFMA instead of one.
// Expect   shared loads per FFMA fall from 40/32 (sgemm_smem) to 48/128, since nvcc 13.0 fetches A four k at a time
//          (smsp__inst_executed_op_shared_ld: 805,306,368 at 4096). A block is 16 columns wide and 128 rows high: A is
//          read twice as often from global memory, B a quarter as often.
// Not yet  A's values still serve one FFMA each (sgemm_tile_2d).
// 16x16 threads, so that the step to sgemm_tile_2d keeps the block and the tile's K extent.
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/scalar_tile.h"

namespace {
using Tile = culprit::ScalarTile<8, 1>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_tile_1d(culprit::GemmProblem p) {
  __shared__ float a_tile[Tile::kTileM * Tile::kTileK];
  __shared__ float b_tile[Tile::kTileK * Tile::kTileN];
  const auto [m, n, k] = p.shape;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row0 = blockIdx.y * Tile::kTileM, column0 = blockIdx.x * Tile::kTileN;
  float sum[Tile::kThreadM] = {};
  for (int k0 = 0; k0 < k; k0 += Tile::kTileK) {
    for (int i = 0; i < Tile::kThreadM; ++i) {
      const int row = Tile::Row(y, i);
      const bool inside = row0 + row < m && k0 + x < k;
      a_tile[Tile::A(row, x)] = inside ? p.a[static_cast<std::int64_t>(row0 + row) * k + k0 + x] : 0.0f;
    }
    const bool b_inside = k0 + y < k && column0 + x < n;
    b_tile[Tile::B(y, x)] = b_inside ? p.b[static_cast<std::int64_t>(k0 + y) * n + column0 + x] : 0.0f;
    __syncthreads();
    for (int i = 0; i < Tile::kTileK; ++i) {
      for (int r = 0; r < Tile::kThreadM; ++r) sum[r] += a_tile[Tile::A(Tile::Row(y, r), i)] * b_tile[Tile::B(i, x)];
    }
    __syncthreads();  // the next iteration overwrites both tiles
  }
  for (int r = 0; r < Tile::kThreadM; ++r) {
    const int row = row0 + Tile::Row(y, r), column = column0 + x;
    if (row >= m || column >= n) continue;
    culprit::StoreElement(&p.c[static_cast<std::int64_t>(row) * n + column], p.alpha, sum[r], p.beta);
  }
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) {
  return {dim3(Tiles(s.n, Tile::kTileN), Tiles(s.m, Tile::kTileM)), dim3(Tile::kThreadsX, Tile::kThreadsY), 0};
}
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_tile_1d", ::sgemm_tile_1d, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmTile1dStage() {
  return {.id = "sgemm_tile_1d",
          .family = "ladder",
          .parent = "sgemm_smem",
          .idea = "8 results per thread, below one another",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .a_tile_layout = "row-major",
                                   .loop_nest = "k->m",
                                   .shared_buffers = "1, two barriers a tile"}
                         .Named(),
          .source_file = "kernels/sgemm/sgemm_tile_1d.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_tile_1d),
          .config = Config,
          .shared_accesses = ScalarTileAccesses<Tile>(4, 1),
          .launch = Launch};
}
}  // namespace culprit
