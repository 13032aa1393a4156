// SPDX-License-Identifier: Apache-2.0
// sgemm_async with another order of the same FFMAs.
// Idea     GPUs since Volta keep registers in two banks, even and odd, and an FFMA reads three. An operand that the
//          previous FFMA also read comes from the reuse cache. Within a row that is A's. When every second row runs
//          from the right, B's is reused at a turn, and no FFMA reads three registers. The compiler then finds
//          registers in different banks for more of the others.
// Expect   all counts of sgemm_async; less smsp__average_warps_issue_stalled_dispatch_stall.
// Not yet  64 FFMA a step for 4 shared loads (sgemm_tile_16x8); small products leave most SMs without a tile
//          (sgemm_small_tile).
#include "kernels/sgemm/multistage_factors.h"
#include "kernels/sgemm/multistage_gemm.cuh"

namespace {
using Tile = culprit::MultistageTile<2, 4, 8, 8, 8, 16, 3, culprit::Walk::kSnakeN>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(Tile::kThreads, 2) sgemm_snake(culprit::GemmProblem p) {
  culprit::MultistageGemm<Tile>(p, culprit::TileOfBlock<Tile>(p));
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_snake", ::sgemm_snake, MultistageConfig<Tile>(p.shape), p, stream);
}
}  // namespace

Stage SgemmSnakeStage() {
  return {.id = "sgemm_snake",
          .family = "ladder",
          .parent = "sgemm_async",
          .idea = "walk over a thread's results so that neighbouring FFMAs share an operand",
          .factors = MultistageFactors<Tile>().Named(),
          .constraint = {},
          .device = {.least = 80},
          .source_file = "kernels/sgemm/sgemm_snake.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_snake),
          .config = MultistageConfig<Tile>,
          .shared_accesses = MultistageTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
