// SPDX-License-Identifier: Apache-2.0
// hgemm_wgmma with four tiles of A and B in flight.
// Idea     copying a tile takes longer than multiplying it, so three more are requested before they are needed.
// Expect   hardly any waits for copies; sm__inst_executed_pipe_tensor rises by the time saved.
// Not yet  copies that start while the block's warps still multiply (hgemm_specialised).
#include "kernels/hgemm/wgmma_stage.h"

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kWarpgroups* culprit::kWarpgroup, 1)
    hgemm_tma_ring(const __grid_constant__ culprit::TmaProblem t) {
  culprit::WgmmaBlock<4>(t);
}

namespace culprit {
namespace {
HgemmChoice FourBuffers() {
  HgemmChoice c = kWgmmaChoice;
  c.buffers = "4";
  return c;
}

void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_tma_ring", ::hgemm_tma_ring, WgmmaBlockConfig<4>(p.shape), p, stream);
}
}  // namespace

Stage HgemmTmaRingStage() {
  return {.id = "hgemm_tma_ring",
          .family = "hgemm",
          .parent = "hgemm_wgmma",
          .idea = "four tiles of A and B on their way",
          .factors = HgemmFactors(FourBuffers()),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_tma_ring.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_tma_ring),
          .config = WgmmaBlockConfig<4>,
          .launch = Launch};
}
}  // namespace culprit
