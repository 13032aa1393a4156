// SPDX-License-Identifier: Apache-2.0
// 16x8 results per thread from tiles that the TMA copies for warps that only multiply.
// Idea     cp.async takes an issue slot and an address for every 4 or 16 bytes; the TMA copies a whole box with one
//          instruction of one thread. It does not transpose, so a kernel before this one transposes A: 51 us of 2.6 ms
//          at 4096.
// Expect   fewer instructions than sgemm_snake; dispatch_stall and no_instruction as tma_gemm.cuh says; no barrier of
//          the whole block.
// Not yet  512 tiles are 3.9 waves on 132 SMs: the last one idles.
#include "kernels/sgemm/tma_gemm.cuh"

extern "C" __global__ void __launch_bounds__(culprit::kInputThreads)
    sgemm_tma_inputs(culprit::TmaInputs inputs, int blocks) {
  culprit::PrepareTmaInputs(inputs, blocks);
}

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::TmaTile::kThreads, 1)
    sgemm_tma(const __grid_constant__ culprit::TmaProblem t) {
  culprit::TmaGemm(t);
}

namespace culprit {
namespace {

LaunchConfig Config(const GemmShape& s) { return TmaGemmConfig(s, false); }

void Launch(const GemmProblem& p, cudaStream_t stream) {
  LaunchTmaGemm("sgemm_tma", reinterpret_cast<const void*>(::sgemm_tma_inputs),
                reinterpret_cast<const void*>(::sgemm_tma), false, p, stream);
}

}  // namespace

Stage SgemmTmaStage() {
  return {.id = "sgemm_tma",
          .family = "ladder",
          .parent = "sgemm_tile_16x8",
          .idea = "tiles that the TMA copies from A transposed before, for warps that only multiply",
          .factors = TmaFactors().Named(),
          .constraint = {},
          .device = {.least = 90, .no_other = true},
          .source_file = "kernels/sgemm/sgemm_tma.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_tma),
          .config = Config,
          .shared_accesses = TmaAccesses(),
          .launch = Launch};
}

}  // namespace culprit
