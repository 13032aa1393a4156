// SPDX-License-Identifier: Apache-2.0
// sgemm_snake with several blocks to a tile of C.
// Idea     Where C has fewer tiles than the GPU has SMs, k is divided as well. The blocks of a cluster multiply a part of
//          k each. Each adds up its share of the rows from the shared memory of all. One launch, no workspace, and the
//          same order of additions every time.
//   sgemm_split_k      two blocks a tile of 128x128. Expected: faster than sgemm_snake at 1024 (128 blocks instead of
//                      64), slower where tiles are many.
//   sgemm_split_small  tiles of 64x64. 512x512 has 16 tiles of 128x128, too few even when two blocks share one; of 64x64
//                      it has 64. Expected: the fastest at 512, slower than sgemm_split_k at 1024 (3 shared loads for 32
//                      FFMA).
//   sgemm_split_8      eight blocks a tile, as many as every GPU with clusters allows. Expected: faster where tiles are few
//                      and k is long (129x127x8191), slower at 1024.
//   sgemm_split_fine   tiles of 32x64: 129x127 has 9 tiles of 64x64, most of them hardly filled, but 10 of 32x64 with half
//                      the work in each. Expected: faster than sgemm_split_8 at the smallest and longest shapes.
#include "kernels/sgemm/multistage_factors.h"
#include "kernels/sgemm/multistage_split.cuh"

namespace {
using culprit::GemmProblem;
using culprit::MultistageTile;
constexpr auto kWalk = culprit::Walk::kSnakeN;
using TileOfK = MultistageTile<2, 4, 8, 8, 8, 16, 3, kWalk>;
using TileOfSmall = MultistageTile<1, 4, 8, 8, 4, 16, 4, kWalk>;
using TileOfFine = MultistageTile<1, 4, 8, 4, 4, 16, 4, kWalk>;
}  // namespace

constexpr int kLineOfK = __LINE__ + 1;
extern "C" __global__ void CULPRIT_CLUSTER(2) __launch_bounds__(TileOfK::kThreads, 2) sgemm_split_k(GemmProblem p) {
  culprit::SplitGemm<TileOfK, 2>(p);
}

constexpr int kLineOfSmall = __LINE__ + 2;
extern "C" __global__ void CULPRIT_CLUSTER(2) __launch_bounds__(TileOfSmall::kThreads, 4)
    sgemm_split_small(GemmProblem p) {
  culprit::SplitGemm<TileOfSmall, 2>(p);
}

constexpr int kLineOf8 = __LINE__ + 1;
extern "C" __global__ void CULPRIT_CLUSTER(8) __launch_bounds__(TileOfSmall::kThreads, 4) sgemm_split_8(GemmProblem p) {
  culprit::SplitGemm<TileOfSmall, 8>(p);
}

constexpr int kLineOfFine = __LINE__ + 2;
extern "C" __global__ void CULPRIT_CLUSTER(8) __launch_bounds__(TileOfFine::kThreads, 6)
    sgemm_split_fine(GemmProblem p) {
  culprit::SplitGemm<TileOfFine, 8>(p);
}

namespace culprit {
namespace {

// What tells one of them from the next.
struct Split {
  const char *id, *parent, *idea;
  int line;
};
constexpr Split kSplitK = {"sgemm_split_k", "sgemm_snake",
                           "two blocks of a cluster share a tile, half of k each, and add up through shared memory",
                           kLineOfK};
constexpr Split kSplitSmall = {"sgemm_split_small", "sgemm_split_k",
                               "tiles of 64x64 that two blocks of a cluster share", kLineOfSmall};
constexpr Split kSplit8 = {"sgemm_split_8", "sgemm_split_small",
                           "eight blocks of a cluster share a tile, an eighth of k each", kLineOf8};
constexpr Split kSplitFine = {"sgemm_split_fine", "sgemm_split_8",
                              "tiles of 32x64 that eight blocks of a cluster share", kLineOfFine};

template <const Split& kSplit, void (*kKernel)(GemmProblem), class Tile, int kParts>
Stage SplitStage() {
  LadderFactors factors = MultistageFactors<Tile>();
  factors.k_split = std::to_string(kParts) + " blocks of a cluster";
  return {.id = kSplit.id,
          .family = "ladder",
          .parent = kSplit.parent,
          .idea = kSplit.idea,
          .factors = factors.Named(),
          .constraint = {},
          .device = {.least = 90},
          .source_file = "kernels/sgemm/sgemm_split.cu",
          .source_line = kSplit.line,
          .kernel = reinterpret_cast<const void*>(kKernel),
          .config = SplitConfig<Tile, kParts>,
          .shared_accesses = MultistageTileAccesses<Tile>(),
          .launch = [](const GemmProblem& p, cudaStream_t stream) {
            EnqueueKernel(kSplit.id, kKernel, SplitConfig<Tile, kParts>(p.shape), p, stream);
          }};
}

}  // namespace

Stage SgemmSplitKStage() { return SplitStage<kSplitK, ::sgemm_split_k, TileOfK, 2>(); }
Stage SgemmSplitSmallStage() { return SplitStage<kSplitSmall, ::sgemm_split_small, TileOfSmall, 2>(); }
Stage SgemmSplit8Stage() { return SplitStage<kSplit8, ::sgemm_split_8, TileOfSmall, 8>(); }
Stage SgemmSplitFineStage() { return SplitStage<kSplitFine, ::sgemm_split_fine, TileOfFine, 8>(); }

}  // namespace culprit
