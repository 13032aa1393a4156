// SPDX-License-Identifier: Apache-2.0
// hgemm_specialised with one block per SM, which takes tile after tile.
// Idea     the first buffers of the next tile are filled while the sums of a tile are stored, and no time is lost to
//          starting blocks.
// Expect   fewer cycles at the start and end of a tile; the same traffic.
// Not yet  an order of tiles that suits L2 (hgemm_grouped).
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::Specialised kWhat{.persistent = true};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_persistent(const __grid_constant__ culprit::TmaProblem t) {
  culprit::SpecialisedBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_persistent", ::hgemm_persistent, SpecialisedConfig<kWhat>(p.shape), p, stream);
}
}  // namespace

Stage HgemmPersistentStage() {
  return {.id = "hgemm_persistent",
          .family = "hgemm",
          .parent = "hgemm_specialised",
          .idea = "one block for each SM takes tile after tile",
          .factors = HgemmFactors(SpecialisedChoice(kWhat)),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_persistent.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_persistent),
          .config = SpecialisedConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
