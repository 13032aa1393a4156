// SPDX-License-Identifier: Apache-2.0
// hgemm_persistent with the tiles taken in groups of 8 rows.
// Idea     tiles computed at the same time form a block of C instead of a few long rows, so they read fewer different
//          rows of A and columns of B.
// Expect   more hits in L2 (lts__t_sectors_op_read_lookup_hit), especially from 8192 on, where a row of tiles is longer
//          than the number of SMs.
// Not yet  the same tile of B for two SMs at once (hgemm_cluster).
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::Specialised kWhat{.persistent = true, .order = culprit::TileOrder::kGroups};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_grouped(const __grid_constant__ culprit::TmaProblem t) {
  culprit::SpecialisedBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_grouped", ::hgemm_grouped, SpecialisedConfig<kWhat>(p.shape), p, stream);
}
}  // namespace

Stage HgemmGroupedStage() {
  return {.id = "hgemm_grouped",
          .family = "hgemm",
          .parent = "hgemm_persistent",
          .idea = "tiles in groups of 8 rows, so that running blocks share more of A and B",
          .factors = HgemmFactors(SpecialisedChoice(kWhat)),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_grouped.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_grouped),
          .config = SpecialisedConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
