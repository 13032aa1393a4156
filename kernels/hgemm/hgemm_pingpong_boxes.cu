// SPDX-License-Identifier: Apache-2.0
// hgemm_pingpong_128 with four boxes of C per warp instead of one.
// Idea     a warp's 64 rows by 128 columns take four boxes. With a single box, it must wait before
//          each until the TMA has read the last one. Four boxes fit in place of one of the six
//          buffers.
// Expect   a warpgroup finishes its stores earlier. That helps most where tiles are few or short. At
//          4096 and above it helps less, because the other warpgroup multiplies meanwhile.
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::PingPong kWhat{.tile_n = 128, .buffers = 5, .boxes_of_warp = 4};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_pingpong_boxes(const __grid_constant__ culprit::TmaProblem t) {
  culprit::PingPongBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_pingpong_boxes", ::hgemm_pingpong_boxes, PingPongConfig<kWhat>(p.shape), p, stream);
}

HgemmChoice Choice() {
  HgemmChoice c = PingPongChoice("128x128x64", "128x128 for 4 warps", "wgmma m64n128k16 from shared memory", "5");
  c.c_stores = "TMA, from 4 boxes of each warp";
  return c;
}
}  // namespace

Stage HgemmPingpongBoxesStage() {
  return {.id = "hgemm_pingpong_boxes",
          .family = "hgemm",
          .parent = "hgemm_pingpong_128",
          .idea = "four boxes of C for each warp in the place of a buffer, so that no store waits for the one before",
          .factors = HgemmFactors(Choice()),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_pingpong_boxes.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_pingpong_boxes),
          .config = PingPongConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
