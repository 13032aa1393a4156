// SPDX-License-Identifier: Apache-2.0
// hgemm_grouped in clusters of two blocks below each other in C.
// Idea     both need the same tile of B: each fetches half of it and writes it into the shared memory of both.
// Expect   a third fewer bytes from L2 to the SMs (lts__t_bytes); where power limits the clock, a higher clock.
// Not yet  another way to store C than from registers (hgemm_tma_store).
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::Specialised kWhat{.persistent = true, .order = culprit::TileOrder::kGroups, .cluster = 2};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_cluster(const __grid_constant__ culprit::TmaProblem t) {
  culprit::SpecialisedBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_cluster", ::hgemm_cluster, SpecialisedConfig<kWhat>(p.shape), p, stream);
}
}  // namespace

Stage HgemmClusterStage() {
  return {.id = "hgemm_cluster",
          .family = "hgemm",
          .parent = "hgemm_grouped",
          .idea = "two blocks, one below the other in C, each fetch half of B for both",
          .factors = HgemmFactors(SpecialisedChoice(kWhat)),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_cluster.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_cluster),
          .config = SpecialisedConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
