// SPDX-License-Identifier: Apache-2.0
// V2: tiles for threads too.
// Idea     a thread computes 8x8 results from registers: a column of A times a row of B.
// Expect   shared loads per FFMA fall from more than 1 to 1/4 or less (smsp__inst_executed_op_shared_ld).
// Not yet  the multiplication waits for the tiles, and the tiles for the multiplication (view_block_v3).
#include "kernels/sgemm/view_block.cuh"
#include "kernels/sgemm/view_factors.h"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void view_block_v2(culprit::GemmProblem p) {
  using namespace culprit;
  __shared__ float a_shared[kTileM * kTileK], b_shared[kTileK * kTileN];
  const Operands operands(p);
  const TilePair tiles(a_shared, b_shared);
  Sums sum = {};
  for (int k0 = 0; k0 < p.shape.k; k0 += kTileK) {
    MoveTiles(operands, k0, tiles);
    __syncthreads();
    MultiplyTiles(tiles, sum);
    __syncthreads();  // the next iteration overwrites both tiles
  }
  StoreSums(p, sum);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("view_block_v2", ::view_block_v2, ViewBlockConfig(p.shape), p, stream);
}
}  // namespace

Stage ViewBlockV2Stage() {
  return {.id = "view_block_v2",
          .family = "view",
          .parent = "view_block_v1_32",
          .idea = "8x8 results per thread from register fragments, through sub-views of sub-views",
          .factors = ViewFactors({.block_tile = "128x128", .k_tile = "8", .thread_tile = "8x8"}),
          .constraint = kViewBlockShapes,
          .source_file = "kernels/sgemm/view_block_v2.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::view_block_v2),
          .config = ViewBlockConfig,
          .launch = Launch};
}
}  // namespace culprit
