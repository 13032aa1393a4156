// SPDX-License-Identifier: Apache-2.0
// sgemm_float4 with a thread's 8x8 results split into four 4x4 pieces, one in each quadrant of the block's tile.
// Idea     8 lanes that load B's float4 side by side touch all 32 banks once. With 8 neighbouring columns to a thread
//          (sgemm_float4) their float4 are 32 bytes apart and 16 lanes share 16 banks.
// Expect   at 4096: 402,653,184 exact wavefronts of shared loads (A 2, B 4 instead of 8) and still 50,331,648 of
//          shared stores. These are the two counts (402,657,486 measured) that the source of sgemm_padded shows for its
//          "BM + 4".
// Not yet  A's stores conflict two ways; a half warp's loads of B are not merged (sgemm_zorder).
#include "kernels/sgemm/float4_gemm.cuh"
#include "kernels/sgemm/ladder_factors.h"

namespace {
using Tile = culprit::TransposedTile<culprit::QuadrantLanes, 8, 0>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_quadrants(culprit::GemmProblem p) { culprit::Float4Gemm<Tile>(p); }

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_quadrants", ::sgemm_quadrants, TransposedTileConfig<Tile>(p.shape), p, stream, sizeof(float4));
}
}  // namespace

Stage SgemmQuadrantsStage() {
  return {.id = "sgemm_quadrants",
          .family = "ladder",
          .parent = "sgemm_float4",
          .idea = "four 4x4 pieces of C per thread, so that neighbouring lanes load neighbouring fours of B",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .load_width = "128 bit",
                                   .a_tile_layout = "transposed",
                                   .lane_map = "four quadrants",
                                   .loop_nest = "k->m->n",
                                   .fragments = "registers",
                                   .unroll = "pragma",
                                   .shared_buffers = "1, two barriers a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = kTransposedTileShapes<Tile>,
          .source_file = "kernels/sgemm/sgemm_quadrants.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_quadrants),
          .config = TransposedTileConfig<Tile>,
          .shared_accesses = TransposedTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
