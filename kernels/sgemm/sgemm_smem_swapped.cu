// SPDX-License-Identifier: Apache-2.0
// sgemm_smem with threadIdx.x and y exchanged in the two lines that copy the tiles, and nowhere else.
// Idea     a_tile[x][y] = a[x][y] is as right as a_tile[y][x] = a[y][x], since all of the block copies all of the tile;
//          but now the 32 lanes of a warp walk down a column, on both sides of the copy.
// Expect   on the global side l1tex__t_sectors_pipe_lsu_mem_global_op_ld rises from 4 to 32 a load; on the shared side
//          each store has 32 lanes in one bank: 32 wavefronts instead of 1. Instructions and shared loads stay. Both
//          sides suffer from one exchange, so this stage cannot tell them apart; its source saw the speed halve.
// Not yet  what sgemm_smem lacks.
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/square_tile.h"

namespace {
using Tile = culprit::SquareTile;
constexpr int kTile = Tile::kTile;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_smem_swapped(culprit::GemmProblem p) {
  __shared__ float a_tile[kTile * kTile];  // (m, k)
  __shared__ float b_tile[kTile * kTile];  // (k, n)
  const int n = p.shape.n, k = p.shape.k;
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t row0 = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t column0 = static_cast<std::int64_t>(blockIdx.y) * kTile;
  const float* a = p.a + (row0 + x) * k + y;
  const float* b = p.b + static_cast<std::int64_t>(x) * n + column0 + y;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    a_tile[Tile::StoreSwapped(x, y)] = a[k0];
    b_tile[Tile::StoreSwapped(x, y)] = b[static_cast<std::int64_t>(k0) * n];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += a_tile[Tile::LoadA(y, i)] * b_tile[Tile::LoadB(x, i)];
    __syncthreads();  // the next iteration overwrites both tiles
  }
  culprit::StoreElement(&p.c[(row0 + y) * n + column0 + x], p.alpha, sum, p.beta);
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) { return {dim3(Tiles(s.m, kTile), Tiles(s.n, kTile)), dim3(kTile, kTile), 0}; }
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_smem_swapped", ::sgemm_smem_swapped, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmSmemSwappedStage() {
  return {.id = "sgemm_smem_swapped",
          .family = "ladder",
          .parent = "sgemm_smem",
          .idea = "exchange x and y where the tiles are copied: neighbouring threads copy down a column",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along columns",
                                   .block_tile = "32x32x32",
                                   .a_tile_layout = "row-major",
                                   .unroll = "pragma",
                                   .shared_buffers = "1, two barriers a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = {32, 32, 32},
          .source_file = "kernels/sgemm/sgemm_smem_swapped.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_smem_swapped),
          .config = Config,
          .shared_accesses = SquareTileAccesses(SquareTile::StoreSwapped),
          .launch = Launch};
}
}  // namespace culprit
