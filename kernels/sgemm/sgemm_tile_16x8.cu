// SPDX-License-Identifier: Apache-2.0
// sgemm_snake with 16x8 results a thread.
// Idea     128 FFMA for 6 shared loads of 128 bits, where 8x8 needs 4 for 64: a quarter less of everything that is no
//          FFMA. A tile of 128x128 then has 128 threads, and two blocks of them fill the registers. Tiles are 8 k deep,
//          so that the unrolled loop is as long as before: 16 k are 36 KB of instructions.
// Expect   at 4096 6 / 8 of sgemm_snake's shared loads (smsp__inst_executed_op_shared_ld). Against it: 2 warps a
//          scheduler instead of 4 hide less.
#include "kernels/sgemm/multistage_factors.h"
#include "kernels/sgemm/multistage_gemm.cuh"

namespace {
using Tile = culprit::MultistageTile<1, 4, 8, 16, 8, 8, 4, culprit::Walk::kSnakeN>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(Tile::kThreads, 2) sgemm_tile_16x8(culprit::GemmProblem p) {
  culprit::MultistageGemm<Tile>(p, culprit::TileOfBlock<Tile>(p));
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_tile_16x8", ::sgemm_tile_16x8, MultistageConfig<Tile>(p.shape), p, stream);
}
}  // namespace

Stage SgemmTile16x8Stage() {
  return {.id = "sgemm_tile_16x8",
          .family = "ladder",
          .parent = "sgemm_snake",
          .idea = "16x8 results a thread: 128 FFMA for 6 shared loads",
          .factors = MultistageFactors<Tile>().Named(),
          .constraint = {},
          .device = {.least = 80},
          .source_file = "kernels/sgemm/sgemm_tile_16x8.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_tile_16x8),
          .config = MultistageConfig<Tile>,
          .shared_accesses = MultistageTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
