// SPDX-License-Identifier: Apache-2.0
// sgemm_split_k with tiles of 64x64.
// Idea     512x512 has 16 tiles of 128x128: 32 blocks even when two share one. Of 64x64 it has 64, so 128 blocks for
// 132
//          SMs, and 8x4 results keep 128 threads busy in each.
// Expect   faster than every other stage at 512, slower than sgemm_split_k at 1024: 3 shared loads for 32 FFMA.
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/multistage_split.cuh"

namespace {
using Tile = culprit::MultistageTile<1, 4, 8, 8, 4, 16, 4, culprit::Walk::kSnakeN>;
constexpr int kParts = 2;
using culprit::GemmProblem;
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void CULPRIT_CLUSTER(kParts) __launch_bounds__(Tile::kThreads, 4)
    sgemm_split_small(GemmProblem p) {
  culprit::SplitGemm<Tile, kParts>(p);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_split_small", ::sgemm_split_small, SplitConfig<Tile, kParts>(p.shape), p, stream);
}
}  // namespace

Stage SgemmSplitSmallStage() {
  return {.id = "sgemm_split_small",
          .family = "ladder",
          .parent = "sgemm_split_k",
          .idea = "tiles of 64x64 that two blocks of a cluster share",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = "64x64x16",
                                   .thread_tile = "8x4",
                                   .load_width = "B and C 128 bit, A 32 bit",
                                   .a_tile_layout = "transposed, rows padded by 4 floats",
                                   .lane_map = "z-order",
                                   .loop_nest = "k->m->n, to and fro",
                                   .fragments = "registers, double-buffered",
                                   .unroll = "pragma",
                                   .shared_buffers = "4, one barrier a tile",
                                   .global_prefetch = "cp.async, three tiles ahead",
                                   .k_split = "2 blocks of a cluster",
                                   .bounds_checks = "first tile in k, stores"}
                         .Named(),
          .constraint = {},
          .device = {.least = 90},
          .source_file = "kernels/sgemm/sgemm_split_small.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_split_small),
          .config = SplitConfig<Tile, kParts>,
          .shared_accesses = MultistageTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
