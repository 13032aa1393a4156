// SPDX-License-Identifier: Apache-2.0
// sgemm_stream_k's product from tiles that a warpgroup copies and transposes itself.
// Idea     the TMA needs rows of a multiple of 16 bytes and does not transpose, so another kernel must run first, which
//          takes as long as a small product. cp.async of 4 bytes accepts any row and puts each float where it belongs.
//          Four separate warps do it, so the multiplying loop stays the same.
// Expect   one kernel; the same time whether n and k are multiples of 4 or not; 3 % of issue slots for copies.
// Not yet  256x128 is a large part of a small C.
#include "kernels/sgemm/fed_gemm.cuh"

namespace {
using Tile = culprit::FedTile<2, 1>;
}

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(Tile::kThreads, 1)
    sgemm_fed(const __grid_constant__ culprit::FedProblem t) {
  culprit::FedGemm<Tile>(t);
}

namespace culprit {
namespace {

void Launch(const GemmProblem& p, cudaStream_t stream) {
  LaunchFed<Tile>("sgemm_fed", reinterpret_cast<const void*>(::sgemm_fed), p, stream);
}

Factors FactorsOfStage() {
  LadderFactors f = FedFactors();
  f.block_tile = "256x128x16";
  f.k_split = "the last tiles among all blocks";
  return f.Named();
}

}  // namespace

Stage SgemmFedStage() {
  return {.id = "sgemm_fed",
          .family = "ladder",
          .parent = "sgemm_stream_k",
          .idea = "a warpgroup copies and transposes the tiles: no kernel before, and any alignment",
          .factors = FactorsOfStage(),
          .constraint = {},
          .device = {.least = 90, .no_other = true},
          .source_file = "kernels/sgemm/sgemm_fed.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_fed),
          .config = FedConfig<Tile>,
          .shared_accesses = FedAccesses<Tile>(),
          .launch = Launch};
}

}  // namespace culprit
