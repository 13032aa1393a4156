// SPDX-License-Identifier: Apache-2.0
// hgemm_tma_store with its two warpgroups out of step.
// Idea     the second begins when the first has multiplied two buffers. Each keeps its distance from then on: while one
//          stores its sums, the other has the tensor cores for itself.
// Expect   the tensor pipe works through part of each tile's end; nothing else changes.
// Not yet  smaller tiles for shapes that have fewer tiles than the device has SMs.
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::Specialised kWhat{.persistent = true, .order = culprit::TileOrder::kGroups, .cluster = 2, .tma_store = true, .stagger = 2};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_staggered(const __grid_constant__ culprit::TmaProblem t) {
  culprit::SpecialisedBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_staggered", ::hgemm_staggered, SpecialisedConfig<kWhat>(p.shape), p, stream);
}
}  // namespace

Stage HgemmStaggeredStage() {
  return {.id = "hgemm_staggered",
          .family = "hgemm",
          .parent = "hgemm_tma_store",
          .idea = "the second warpgroup begins two buffers after the first, so that one multiplies while the other stores",
          .factors = HgemmFactors(SpecialisedChoice(kWhat)),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_staggered.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_staggered),
          .config = SpecialisedConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
