// SPDX-License-Identifier: Apache-2.0
// sgemm_fed with half the tile, and half the warps.
// Idea     as sgemm_fed_sliced, but without a sum within the block: a warp with 128 independent FFMA per step of k can
//          keep its scheduler busy alone.
// Expect   as many FFMA and loads as sgemm_fed_sliced; more stalls for shared memory and barriers.
// Not yet  nothing hides a warp's waits.
#include "kernels/sgemm/fed_gemm.cuh"

namespace {
using Tile = culprit::FedTile<1, 1>;
}

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(Tile::kThreads, 2)
    sgemm_fed_small(const __grid_constant__ culprit::FedProblem t) {
  culprit::FedGemm<Tile>(t);
}

namespace culprit {
namespace {

void Launch(const GemmProblem& p, cudaStream_t stream) {
  LaunchFed<Tile>("sgemm_fed_small", reinterpret_cast<const void*>(::sgemm_fed_small), p, stream);
}

Factors FactorsOfStage() {
  LadderFactors f = FedFactors();
  f.block_tile = "128x128x16";
  f.k_split = "the last tiles among all blocks";
  return f.Named();
}

}  // namespace

Stage SgemmFedSmallStage() {
  return {.id = "sgemm_fed_small",
          .family = "ladder",
          .parent = "sgemm_fed",
          .idea = "half the tile for half as many warps",
          .factors = FactorsOfStage(),
          .constraint = {},
          .device = {.least = 90, .no_other = true},
          .source_file = "kernels/sgemm/sgemm_fed_small.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_fed_small),
          .config = FedConfig<Tile>,
          .shared_accesses = FedAccesses<Tile>(),
          .launch = Launch};
}

}  // namespace culprit
