// SPDX-License-Identifier: Apache-2.0
// 128-bit accesses everywhere; A's tile is transposed so that a thread's 8 values of A are neighbours too.
// Idea     one LDS.128 instead of four LDS, one LDG.128 instead of four LDG.
// Expect   shared loads are 4 per thread and k (134,217,728 at 4096), all of them 128 bits wide; shared stores are 5
//          per thread and tile (20,971,520): smsp__inst_executed_op_shared_ld and _st.
// Not yet  A's stores conflict two ways (a stride of 128 floats: sgemm_padded), and the 16 lanes of B's loads touch 16
//          addresses in 16 banks, 8 wavefronts (sgemm_quadrants, sgemm_zorder).
#include "kernels/sgemm/float4_gemm.cuh"
#include "kernels/sgemm/ladder_factors.h"

namespace {
using Tile = culprit::TransposedTile<culprit::RowMajorLanes, 8, 0>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_float4(culprit::GemmProblem p) { culprit::Float4Gemm<Tile>(p); }

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_float4", ::sgemm_float4, TransposedTileConfig<Tile>(p.shape), p, stream, sizeof(float4));
}
}  // namespace

Stage SgemmFloat4Stage() {
  return {.id = "sgemm_float4",
          .family = "ladder",
          .parent = "sgemm_tile_2d_reg",
          .idea = "128-bit loads and stores, A transposed on its way to shared memory",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .load_width = "128 bit",
                                   .a_tile_layout = "transposed",
                                   .loop_nest = "k->m->n",
                                   .fragments = "registers",
                                   .unroll = "pragma",
                                   .shared_buffers = "1, two barriers a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = kTransposedTileShapes<Tile>,
          .source_file = "kernels/sgemm/sgemm_float4.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_float4),
          .config = TransposedTileConfig<Tile>,
          .shared_accesses = TransposedTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
