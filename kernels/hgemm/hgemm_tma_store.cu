// SPDX-License-Identifier: Apache-2.0
// hgemm_cluster, but the TMA stores C from shared memory.
// Idea     a warp writes 16x32 of its sums to shared memory and continues; the TMA stores whole rows of 128 bytes
//          asynchronously, without a bounds check or an address for each pair of sums.
// Expect   no global store instruction (smsp__inst_executed_op_global_st: 0) and a shorter end of each tile.
// Not yet  multiplications while C is being stored (hgemm_drained).
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::Specialised kWhat{
    .persistent = true, .order = culprit::TileOrder::kGroups, .cluster = 2, .tma_store = true};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_tma_store(const __grid_constant__ culprit::TmaProblem t) {
  culprit::SpecialisedBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_tma_store", ::hgemm_tma_store, SpecialisedConfig<kWhat>(p.shape), p, stream);
}
}  // namespace

Stage HgemmTmaStoreStage() {
  return {.id = "hgemm_tma_store",
          .family = "hgemm",
          .parent = "hgemm_cluster",
          .idea = "C leaves through shared memory by the TMA",
          .factors = HgemmFactors(SpecialisedChoice(kWhat)),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_tma_store.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_tma_store),
          .config = SpecialisedConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
