// SPDX-License-Identifier: Apache-2.0
// Z-order lanes on top of sgemm_padded: no bank conflicts are left.
// Idea     a warp covers 64x32 of C, its lanes in z-order, so that in each half warp lanes i and i^1 (A) or i and i^2
//          (B) read the same 16 bytes: the hardware then serves a half warp's LDS.128 in one wavefront (lane_map.h).
// Expect   at 4096: 134,217,728 shared loads in 268,435,456 wavefronts (2 each) and 20,971,520 shared stores in
//          33,554,432: smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared equals its _ideal.
// Not yet  loads from global memory wait for the multiplication and the other way round: no prefetch (sgemm_pingpong).
#include "kernels/sgemm/float4_gemm.cuh"
#include "kernels/sgemm/ladder_factors.h"

namespace {
using Tile = culprit::TransposedTile<culprit::ZOrderLanes, 8, 4>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_zorder(culprit::GemmProblem p) { culprit::Float4Gemm<Tile>(p); }

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_zorder", ::sgemm_zorder, TransposedTileConfig<Tile>(p.shape), p, stream, sizeof(float4));
}
}  // namespace

Stage SgemmZorderStage() {
  return {.id = "sgemm_zorder",
          .family = "ladder",
          .parent = "sgemm_padded",
          .idea = "lanes in z-order, so that fragment loads merge without bank conflicts",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .load_width = "128 bit",
                                   .a_tile_layout = "transposed, rows padded by 4 floats",
                                   .lane_map = "z-order",
                                   .loop_nest = "k->m->n",
                                   .fragments = "registers",
                                   .unroll = "pragma",
                                   .shared_buffers = "1, two barriers a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = kTransposedTileShapes<Tile>,
          .source_file = "kernels/sgemm/sgemm_zorder.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_zorder),
          .config = TransposedTileConfig<Tile>,
          .shared_accesses = TransposedTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
