// SPDX-License-Identifier: Apache-2.0
// hgemm_pingpong with tiles of 128x128.
// Idea     smaller tiles leave less of the last wave idle: for each of 132 SMs, 1024 tiles at 4096 are 7.8, and 256 at
//          2048 are 1.9. Six buffers fit.
// Expect   all SMs end at nearly the same time at 2048 and 4096; more bytes from L2 and through shared memory per
//          product.
// Not yet  a second box of C per warp: with one, a warp waits for its last store before each (hgemm_pingpong_boxes).
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::PingPong kWhat{.tile_n = 128, .buffers = 6, .boxes_of_warp = 1};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_pingpong_128(const __grid_constant__ culprit::TmaProblem t) {
  culprit::PingPongBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_pingpong_128", ::hgemm_pingpong_128, PingPongConfig<kWhat>(p.shape), p, stream);
}
}  // namespace

Stage HgemmPingpong128Stage() {
  return {.id = "hgemm_pingpong_128",
          .family = "hgemm",
          .parent = "hgemm_pingpong",
          .idea = "tiles of 128x128, which fill the last wave where 128x192 leave it a third full",
          .factors = HgemmFactors(
              PingPongChoice("128x128x64", "128x128 for 4 warps", "wgmma m64n128k16 from shared memory", "6")),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_pingpong_128.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_pingpong_128),
          .config = PingPongConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
