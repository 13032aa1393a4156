// SPDX-License-Identifier: Apache-2.0
// sgemm_snake with two blocks to a tile.
// Idea     where C has fewer tiles than the GPU has SMs, k is divided as well: two blocks of a cluster multiply half of
// k
//          each, and each adds up half of the rows from both blocks' shared memory. One launch, no workspace, and the
//          same order of additions every time.
// Expect   faster than sgemm_snake at 1024 (128 blocks instead of 64), slower where tiles are many.
// Not yet  512x512 has 16 tiles (sgemm_split_small).
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/multistage_split.cuh"

namespace {
using Tile = culprit::MultistageTile<2, 4, 8, 8, 8, 16, 3, culprit::Walk::kSnakeN>;
constexpr int kParts = 2;
using culprit::GemmProblem;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void CULPRIT_CLUSTER(kParts) __launch_bounds__(Tile::kThreads, 2) sgemm_split_k(GemmProblem p) {
  culprit::SplitGemm<Tile, kParts>(p);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_split_k", ::sgemm_split_k, SplitConfig<Tile, kParts>(p.shape), p, stream);
}
}  // namespace

Stage SgemmSplitKStage() {
  return {.id = "sgemm_split_k",
          .family = "ladder",
          .parent = "sgemm_snake",
          .idea = "two blocks of a cluster share a tile, half of k each, and add up through shared memory",
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
                                   .k_split = "2 blocks of a cluster",
                                   .bounds_checks = "first tile in k, stores"}
                         .Named(),
          .constraint = {},
          .device = {.least = 90},
          .source_file = "kernels/sgemm/sgemm_split_k.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_split_k),
          .config = SplitConfig<Tile, kParts>,
          .shared_accesses = MultistageTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
