// SPDX-License-Identifier: Apache-2.0
// sgemm_snake with half of its tile.
// Idea     1024x1024 has 64 tiles of 128x128 for 132 SMs, but 128 of 64x128. Blocks of 128 threads also start and end
//          in smaller steps where the last wave is not full.
// Expect   faster than sgemm_snake at 1024 and at odd shapes of its size, not at 4096: the same FFMAs need more from
//          L2.
// Not yet  512x512 has 32 such tiles (sgemm_split_k).
#include "kernels/sgemm/multistage_factors.h"
#include "kernels/sgemm/multistage_gemm.cuh"

namespace {
using Tile = culprit::MultistageTile<1, 4, 8, 8, 8, 16, 3, culprit::Walk::kSnakeN>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(Tile::kThreads, 4) sgemm_small_tile(culprit::GemmProblem p) {
  culprit::MultistageGemm<Tile>(p, culprit::TileOfBlock<Tile>(p));
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_small_tile", ::sgemm_small_tile, MultistageConfig<Tile>(p.shape), p, stream);
}
}  // namespace

Stage SgemmSmallTileStage() {
  return {.id = "sgemm_small_tile",
          .family = "ladder",
          .parent = "sgemm_snake",
          .idea = "tiles of 64x128, so that small products reach more SMs",
          .factors = MultistageFactors<Tile>().Named(),
          .constraint = {},
          .device = {.least = 80},
          .source_file = "kernels/sgemm/sgemm_small_tile.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_small_tile),
          .config = MultistageConfig<Tile>,
          .shared_accesses = MultistageTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
