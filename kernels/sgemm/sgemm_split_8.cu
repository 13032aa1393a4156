// SPDX-License-Identifier: Apache-2.0
// sgemm_split_small with eight blocks to a tile, as many as every GPU with clusters allows.
// Idea     a sum over thousands of k for a few results is long rather than wide: more blocks a tile shorten it.
// Expect   faster than sgemm_split_small where tiles are few (257x255x511, 129x127x8191), slower at 1024: each tile is
//          written to shared memory and read from there eight times.
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/multistage_split.cuh"

namespace {
using Tile = culprit::MultistageTile<1, 4, 8, 8, 4, 16, 4, culprit::Walk::kSnakeN>;
constexpr int kParts = 8;
using culprit::GemmProblem;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void CULPRIT_CLUSTER(kParts) __launch_bounds__(Tile::kThreads, 4) sgemm_split_8(GemmProblem p) {
  culprit::SplitGemm<Tile, kParts>(p);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_split_8", ::sgemm_split_8, SplitConfig<Tile, kParts>(p.shape), p, stream);
}
}  // namespace

Stage SgemmSplit8Stage() {
  return {.id = "sgemm_split_8",
          .family = "ladder",
          .parent = "sgemm_split_small",
          .idea = "eight blocks of a cluster share a tile, an eighth of k each",
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
                                   .k_split = "8 blocks of a cluster",
                                   .bounds_checks = "first tile in k, stores"}
                         .Named(),
          .constraint = {},
          .device = {.least = 90},
          .source_file = "kernels/sgemm/sgemm_split_8.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_split_8),
          .config = SplitConfig<Tile, kParts>,
          .shared_accesses = MultistageTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
