// SPDX-License-Identifier: Apache-2.0
// x
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

}  // namespace

Stage SgemmFedSlicedStage() {
  return {.id = "sgemm_fed_sliced",
          .family = "ladder",
          .parent = "sgemm_fed",
          .idea = "half the tile for as many warps: two sets of them take its steps in turns",
          .factors = {{"input", "fp32"},
                      {"block tile", "128x128x16"},
                      {"thread tile", "16x8"},
                      {"shared buffers", "6, mbarriers"},
                      {"gmem->smem", "cp.async, by a warpgroup of its own"},
                      {"A", "transposed as it is copied"},
                      {"blocks", "one for each SM, groups of 8 rows; the last tiles by steps of k"},
                      {"precision", "fp32"}},
          .constraint = {},
          .device = {.least = 90, .no_other = true},
          .source_file = "kernels/sgemm/sgemm_fed_sliced.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_fed_sliced),
          .config = FedConfig<Tile>,
          .launch = Launch};
}

}  // namespace culprit
