// SPDX-License-Identifier: Apache-2.0
// hgemm_tma_ring with a separate warpgroup for the copies.
// Idea     the multiplying warps need no block barrier for each tile: two warpgroups signal when they have read a
//          buffer, and a third refills it. It gives its registers to them.
// Expect   multiplications follow one another without a gap (stall_barrier: 0): the two warpgroups fill each other's.
// Not yet  the start and end of a block, when tensor cores wait (hgemm_persistent).
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::Specialised kWhat{};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_specialised(const __grid_constant__ culprit::TmaProblem t) {
  culprit::SpecialisedBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_specialised", ::hgemm_specialised, SpecialisedConfig<kWhat>(p.shape), p, stream);
}
}  // namespace

Stage HgemmSpecialisedStage() {
  return {.id = "hgemm_specialised",
          .family = "hgemm",
          .parent = "hgemm_tma_ring",
          .idea = "one warpgroup copies and two multiply, each with the registers that it needs",
          .factors = HgemmFactors(SpecialisedChoice(kWhat)),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_specialised.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_specialised),
          .config = SpecialisedConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
