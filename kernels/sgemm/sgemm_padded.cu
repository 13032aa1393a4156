// SPDX-License-Identifier: Apache-2.0
// sgemm_float4 with BM + 4: rows of A's tile are 132 floats instead of 128.
// Idea     lanes 2i and 2i + 1 store values of A that are 4 rows of the tile apart. Rows of 128 floats put them into
//          one bank; 4 rows of 132 are 16 banks further, so that a warp's 32 stores fall into banks 0, 16, 1, 17 ..
//          15, 31.
// Expect   at 4096 shared stores need 33,554,432 exact wavefronts instead of 50,331,648: each store of A takes 1
//          instead of 2, each of B 4 as before. Loads do not change, nor do instructions.
// Not yet  B's loads need 8 wavefronts, as before (sgemm_zorder).
// Its original lists 50,331,648 store wavefronts and 402,657,486 load wavefronts for "BM + 4". Those are counts without
// padding and with other lanes than it lists: sgemm_quadrants has both.
#include "kernels/sgemm/float4_gemm.cuh"
#include "kernels/sgemm/ladder_factors.h"

namespace {
using Tile = culprit::TransposedTile<culprit::RowMajorLanes, 8, 4>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_padded(culprit::GemmProblem p) { culprit::Float4Gemm<Tile>(p); }

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_padded", ::sgemm_padded, TransposedTileConfig<Tile>(p.shape), p, stream, sizeof(float4));
}
}  // namespace

Stage SgemmPaddedStage() {
  return {.id = "sgemm_padded",
          .family = "ladder",
          .parent = "sgemm_float4",
          .idea = "pad the rows of A's tile by 4 floats, so that its stores do not conflict",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .load_width = "128 bit",
                                   .a_tile_layout = "transposed, rows padded by 4 floats",
                                   .loop_nest = "k->m->n",
                                   .fragments = "registers",
                                   .unroll = "pragma",
                                   .shared_buffers = "1, two barriers a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = kTransposedTileShapes<Tile>,
          .source_file = "kernels/sgemm/sgemm_padded.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_padded),
          .config = TransposedTileConfig<Tile>,
          .shared_accesses = TransposedTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
