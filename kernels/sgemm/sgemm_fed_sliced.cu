// SPDX-License-Identifier: Apache-2.0
// sgemm_fed with half the tile, and two sets of warps that each take half of each step's k.
// Idea     half the tile wastes less at the edges of C and writes half as much to L2 where blocks share a tile. With
//          half the warps, each scheduler would have a single warp and nothing to hide its waits. So four more warps
//          take the other half of k.
// Expect   fewer FFMA than sgemm_fed where m is no multiple of 256; 1.3 times its loads from L2.
#include "kernels/sgemm/fed_gemm.cuh"

namespace {
using Tile = culprit::FedTile<1, 2>;
}

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(Tile::kThreads, 1)
    sgemm_fed_sliced(const __grid_constant__ culprit::FedProblem t) {
  culprit::FedGemm<Tile>(t);
}

namespace culprit {
namespace {

void Launch(const GemmProblem& p, cudaStream_t stream) {
  LaunchFed<Tile>("sgemm_fed_sliced", reinterpret_cast<const void*>(::sgemm_fed_sliced), p, stream);
}

Factors FactorsOfStage() {
  LadderFactors f = FedFactors();
  f.block_tile = "128x128x16";
  f.k_split = "the last tiles among all blocks; each step among two sets of warps";
  return f.Named();
}

}  // namespace

Stage SgemmFedSlicedStage() {
  return {.id = "sgemm_fed_sliced",
          .family = "ladder",
          .parent = "sgemm_fed",
          .idea = "half the tile for as many warps: two sets of them take its steps in turns",
          .factors = FactorsOfStage(),
          .constraint = {},
          .device = {.least = 90, .no_other = true},
          .source_file = "kernels/sgemm/sgemm_fed_sliced.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_fed_sliced),
          .config = FedConfig<Tile>,
          .shared_accesses = FedAccesses<Tile>(),
          .launch = Launch};
}

}  // namespace culprit
