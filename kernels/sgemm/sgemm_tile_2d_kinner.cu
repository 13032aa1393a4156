// SPDX-License-Identifier: Apache-2.0
// sgemm_tile_2d with k innermost: inner products, as the formula reads.
// Idea     the same products in another order: each of the 64 results runs through k on its own.
// Expect   nvcc 13.0 keeps 16x8 values of B in registers and leaves the loop over rows rolled, so the 64 sums are
//          indexed by a variable and live in local memory (sm_90: a 256-byte stack frame, no spills):
//          smsp__inst_executed_op_local_ld is no longer 0. Shared loads fall: 64 LDS.128 a tile instead of 160 loads.
// Not yet  what sgemm_tile_2d lacks.
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/scalar_tile.h"

namespace {
using Tile = culprit::ScalarTile<8, 8>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_tile_2d_kinner(culprit::GemmProblem p) {
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
    for (int r = 0; r < Tile::kThreadM; ++r) {
      for (int c = 0; c < Tile::kThreadN; ++c) {
        for (int i = 0; i < Tile::kTileK; ++i) {
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
  EnqueueKernel("sgemm_tile_2d_kinner", ::sgemm_tile_2d_kinner, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmTile2dKinnerStage() {
  return {.id = "sgemm_tile_2d_kinner",
          .family = "ladder",
          .parent = "sgemm_tile_2d",
          .idea = "inner products: k becomes the innermost loop",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .a_tile_layout = "row-major",
                                   .loop_nest = "m->n->k",
                                   .shared_buffers = "1, two barriers a tile"}
                         .Named(),
          .source_file = "kernels/sgemm/sgemm_tile_2d_kinner.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_tile_2d_kinner),
          .config = Config,
          .shared_accesses = ScalarTileAccesses<Tile>(4, 4),
          .launch = Launch};
}
}  // namespace culprit
