// SPDX-License-Identifier: Apache-2.0
// sgemm_async with another order of the same FFMAs.
// Idea     GPUs since Volta keep registers in two banks, even and odd, and an FFMA reads three. The operand that the
//          FFMA before also had comes from the reuse cache. Within a row that is A's. With every second row from the
//          right, B's stays at a turn, and no FFMA needs three registers; the compiler finds registers in different
//          banks for more of the others.
// Expect   all counts of sgemm_async; less smsp__average_warps_issue_stalled_dispatch_stall.
// Not yet  64 FFMA a step for 4 shared loads (sgemm_tile_16x8); small products leave most SMs without a tile
//          (sgemm_small_tile).
#include "kernels/sgemm/ladder_factors.h"
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
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = "128x128x16",
                                   .thread_tile = "8x8",
                                   .load_width = "B and C 128 bit, A 32 bit",
                                   .a_tile_layout = "transposed, rows padded by 4 floats",
                                   .lane_map = "z-order",
                                   .loop_nest = "k->m->n, to and fro",
                                   .fragments = "registers, double-buffered",
                                   .unroll = "pragma",
                                   .shared_buffers = "3, one barrier a tile",
                                   .global_prefetch = "cp.async, two tiles ahead",
                                   .bounds_checks = "first tile in k, stores"}
                         .Named(),
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
