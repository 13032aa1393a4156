// SPDX-License-Identifier: Apache-2.0
// Stage A and B through shared memory, one 32x32 tile of each at a time.
// Idea     every value loaded from global memory is used 32 times instead of once.
// Expect   smsp__inst_executed_op_global_ld falls 32-fold; L2 bytes may not, L1 already caught some of the reuse.
// Not yet  one result per thread, so each FFMA still costs up to two shared loads (sgemm_tile_2d_reg).
// As in its source, blockIdx.x walks along m, and there are no bounds checks.
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
extern "C" __global__ void sgemm_smem(culprit::GemmProblem p) {
  __shared__ float a_tile[kTile * kTile];  // (m, k)
  __shared__ float b_tile[kTile * kTile];  // (k, n)
  const int n = p.shape.n, k = p.shape.k;
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kTile + y;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * kTile + x;
  const float* a = p.a + row * k + x;
  const float* b = p.b + static_cast<std::int64_t>(y) * n + column;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    a_tile[Tile::Store(x, y)] = a[k0];
    b_tile[Tile::Store(x, y)] = b[static_cast<std::int64_t>(k0) * n];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += a_tile[Tile::LoadA(y, i)] * b_tile[Tile::LoadB(x, i)];
    __syncthreads();  // the next iteration overwrites both tiles
  }
  culprit::StoreElement(&p.c[row * n + column], p.alpha, sum, p.beta);
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) { return {dim3(Tiles(s.m, kTile), Tiles(s.n, kTile)), dim3(kTile, kTile), 0}; }
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_smem", ::sgemm_smem, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmSmemStage() {
  return {.id = "sgemm_smem",
          .family = "ladder",
          .parent = "sgemm_naive",
          .idea = "reuse each loaded value 32 times from shared memory",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = "32x32x32",
                                   .a_tile_layout = "row-major",
                                   .unroll = "pragma",
                                   .shared_buffers = "1, two barriers a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = {32, 32, 32},
          .source_file = "kernels/sgemm/sgemm_smem.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_smem),
          .config = Config,
          .shared_accesses = SquareTileAccesses(SquareTile::Store),
          .launch = Launch};
}
}  // namespace culprit
