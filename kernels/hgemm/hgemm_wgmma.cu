// SPDX-License-Identifier: Apache-2.0
// A warpgroup multiplies from shared memory, and the TMA copies the tiles there.
// Idea     wgmma reads both factors itself, so no fragment passes through registers. The TMA copies whole boxes in
//          the layout that wgmma needs, so no thread computes an address. They belong together: with only one of
//          them, the kernel would have to write or read the permuted tiles. The TMA checks bounds, so sizes need not
//          be multiples of a tile.
// Expect   no ldmatrix and no global load (smsp__inst_executed_op_ldsm, smsp__inst_executed_op_global_ld: 0); the
//          waiting moves to the barrier of the copy.
// Not yet  copies while the tensor cores work: they wait for each tile (hgemm_tma_ring).
#include "kernels/hgemm/wgmma_stage.h"

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kWarpgroups* culprit::kWarpgroup, 1)
    hgemm_wgmma(const __grid_constant__ culprit::TmaProblem t) {
  culprit::WgmmaBlock<1>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_wgmma", ::hgemm_wgmma, WgmmaBlockConfig<1>(p.shape), p, stream);
}
}  // namespace

Stage HgemmWgmmaStage() {
  return {.id = "hgemm_wgmma",
          .family = "hgemm",
          .parent = "hgemm_mma_swizzle",
          .idea = "a warpgroup multiplies from shared memory what the TMA put there",
          .factors = HgemmFactors(kWgmmaChoice),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_wgmma.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_wgmma),
          .config = WgmmaBlockConfig<1>,
          .launch = Launch};
}
}  // namespace culprit
