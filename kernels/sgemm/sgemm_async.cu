// SPDX-License-Identifier: Apache-2.0
// The copy engine fetches: cp.async writes global memory into shared memory without passing through registers.
// Idea     three buffers of 16 k: while one is multiplied, two more are on their way, and no thread holds or stores
// what
//          it fetched. Fragments are double-buffered across the one barrier a tile, so that no warp waits for shared
//          memory at the start of a tile. A is transposed on the way, hence float by float; a warp copies 8 k of 4
//          rows, whole sectors into 32 different banks. Any size: the first tile holds what k leaves behind whole
//          tiles.
// Expect   fewer stalls on global and shared memory (smsp__average_warps_issue_stalled_long_scoreboard,
//          _short_scoreboard) than sgemm_zorder's; no STS, LDGSTS instead.
// Not yet  the order of a thread's FFMAs is not chosen for the register banks: two operands of an FFMA in one register
// bank (sgemm_snake).
#include "kernels/sgemm/multistage_factors.h"
#include "kernels/sgemm/multistage_gemm.cuh"

namespace {
using Tile = culprit::MultistageTile<2, 4, 8, 8, 8, 16, 3, culprit::Walk::kRows>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(Tile::kThreads, 2) sgemm_async(culprit::GemmProblem p) {
  culprit::MultistageGemm<Tile>(p, culprit::TileOfBlock<Tile>(p));
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_async", ::sgemm_async, MultistageConfig<Tile>(p.shape), p, stream);
}
}  // namespace

Stage SgemmAsyncStage() {
  return {.id = "sgemm_async",
          .family = "ladder",
          .parent = "sgemm_zorder",
          .idea = "copy tiles to shared memory asynchronously, two tiles ahead",
          .factors = MultistageFactors<Tile>().Named(),
          .constraint = {},
          .device = {.least = 80},
          .source_file = "kernels/sgemm/sgemm_async.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_async),
          .config = MultistageConfig<Tile>,
          .shared_accesses = MultistageTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
