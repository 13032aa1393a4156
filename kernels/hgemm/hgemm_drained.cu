// SPDX-License-Identifier: Apache-2.0
// hgemm_tma_store, but C is stored while the next tile is multiplied.
// Idea     the last two buffers of a tile are not released at once. Together with the boxes of C
//          they hold all of its sums. Warps write all sums at once instead of
//          waiting for the TMA box after box. They multiply the next tile from the
//          other two buffers and release a buffer when the TMA has read it.
// Expect   the end of a tile takes only as long as writing it to shared memory.
// Found    no gain on an H200 (docs/evidence/ladder.md): waiting for boxes is not what
//          makes the end of a tile expensive. Meanwhile the next tile has
//          two buffers instead of four.
// Not yet  anything for shapes with fewer tiles than the device has SMs (hgemm_small_tile).
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::Specialised kWhat{
    .persistent = true, .order = culprit::TileOrder::kGroups, .cluster = 2, .tma_store = true, .drained_later = true};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_drained(const __grid_constant__ culprit::TmaProblem t) {
  culprit::SpecialisedBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_drained", ::hgemm_drained, SpecialisedConfig<kWhat>(p.shape), p, stream);
}
}  // namespace

Stage HgemmDrainedStage() {
  return {.id = "hgemm_drained",
          .family = "hgemm",
          .parent = "hgemm_tma_store",
          .idea = "C drains from buffers of A and B while the next tile is multiplied",
          .factors = HgemmFactors(SpecialisedChoice(kWhat)),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_drained.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_drained),
          .config = SpecialisedConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
