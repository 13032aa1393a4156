// SPDX-License-Identifier: Apache-2.0
// sgemm_split_8 with tiles of 32x64.
// Idea     129x127 has 9 tiles of 64x64, most of them hardly filled, but 10 of 32x64, with half the work in each.
// Expect   faster than sgemm_split_8 at the smallest and longest shapes.
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/multistage_split.cuh"

namespace {
using Tile = culprit::MultistageTile<1, 4, 8, 4, 4, 16, 4, culprit::Walk::kSnakeN>;
constexpr int kParts = 8;
using culprit::GemmProblem;
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void CULPRIT_CLUSTER(kParts) __launch_bounds__(Tile::kThreads, 6)
    sgemm_split_fine(GemmProblem p) {
  culprit::SplitGemm<Tile, kParts>(p);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_split_fine", ::sgemm_split_fine, SplitConfig<Tile, kParts>(p.shape), p, stream);
}
}  // namespace

Stage SgemmSplitFineStage() {
  return {.id = "sgemm_split_fine",
          .family = "ladder",
          .parent = "sgemm_split_8",
          .idea = "tiles of 32x64 that eight blocks of a cluster share",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = "32x64x16",
                                   .thread_tile = "4x4",
                                   .load_width = "B and C 128 bit, A 32 bit",
                                   .a_tile_layout = "transposed, rows padded by 4 floats",
                                   .lane_map = "z-order",
                                   .loop_nest = "k->m->n, to and fro",
                                   .fragments = "registers, double-buffered",
                                   .unroll = "pragma",
                                   .shared_buffers = "4, one barrier a tile",
                                   .global_prefetch = "cp.async, three tiles ahead",
                                   .k_split = "8 blocks of a cluster",
                                   .bounds_checks = "first tile in k, stores"}
                         .Named(),
          .constraint = {},
          .device = {.least = 90},
          .source_file = "kernels/sgemm/sgemm_split_fine.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_split_fine),
          .config = SplitConfig<Tile, kParts>,
          .shared_accesses = MultistageTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
