// SPDX-License-Identifier: Apache-2.0
// sgemm_tma with its last tiles divided by steps of k.
// Idea     full waves of tiles go whole. The tiles of the last wave and some more are cut into equal runs of steps, one
//          per block. The block with a tile's first steps adds the others' parts in order, so that the result is
//          always the same ("stream-K", Osama et al., 2023).
// Expect   no SM idle in the last wave: 3 % of 512 tiles at 4096 on 132 SMs, most of the time below 2048.
// Not yet  each cut costs 128 KB to L2 and back, which is much for small products.
#include "kernels/sgemm/tma_gemm.cuh"

extern "C" __global__ void __launch_bounds__(culprit::kInputThreads)
    sgemm_stream_k_inputs(culprit::TmaInputs inputs, int blocks) {
  culprit::PrepareTmaInputs(inputs, blocks);
}

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::TmaTile::kThreads, 1)
    sgemm_stream_k(const __grid_constant__ culprit::TmaProblem t) {
  culprit::TmaGemm(t);
}

namespace culprit {
namespace {

LaunchConfig Config(const GemmShape& s) { return TmaGemmConfig(s, true); }

void Launch(const GemmProblem& p, cudaStream_t stream) {
  LaunchTmaGemm("sgemm_stream_k", reinterpret_cast<const void*>(::sgemm_stream_k_inputs),
                reinterpret_cast<const void*>(::sgemm_stream_k), true, p, stream);
}

Factors FactorsOfStage() {
  LadderFactors f = TmaFactors();
  f.k_split = "the last tiles among all blocks";
  return f.Named();
}

}  // namespace

Stage SgemmStreamKStage() {
  return {.id = "sgemm_stream_k",
          .family = "ladder",
          .parent = "sgemm_tma",
          .idea = "the last tiles are shared out by steps of k, so that every SM has as many",
          .factors = FactorsOfStage(),
          .constraint = {},
          .device = {.least = 90, .no_other = true},
          .source_file = "kernels/sgemm/sgemm_stream_k.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_stream_k),
          .config = Config,
          .shared_accesses = TmaAccesses(),
          .launch = Launch};
}

}  // namespace culprit
