// SPDX-License-Identifier: Apache-2.0
// hgemm_tma_store with one tile per warpgroup instead of one for both.
// Idea     two warpgroups multiply in turns, each its own tile: while one scales and stores its sums, the other uses
//          the tensor cores. A tile is 128x192, so that 2 x 96 sums fill a thread's registers. The copying warp starts
//          before the others wait for its barriers.
// Expect   the tensor cores do not wait at the end of a tile.
// Not yet  a full last wave at 4096: 704 tiles are 5.3 for each of 132 SMs (hgemm_pingpong_128).
#include "kernels/hgemm/wgmma_stage.h"

namespace {
constexpr culprit::PingPong kWhat{.tile_n = 192, .buffers = 5, .boxes_of_warp = 1};
}  // namespace

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kSpecialisedThreads, 1)
    hgemm_pingpong(const __grid_constant__ culprit::TmaProblem t) {
  culprit::PingPongBlock<kWhat>(t);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma("hgemm_pingpong", ::hgemm_pingpong, PingPongConfig<kWhat>(p.shape), p, stream);
}
}  // namespace

Stage HgemmPingpongStage() {
  return {.id = "hgemm_pingpong",
          .family = "hgemm",
          .parent = "hgemm_tma_store",
          .idea = "two warpgroups multiply tiles of their own in turns: one stores while the other multiplies",
          .factors = HgemmFactors(
              PingPongChoice("128x192x64", "128x192 for 4 warps", "wgmma m64n192k16 from shared memory", "5")),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_pingpong.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_pingpong),
          .config = PingPongConfig<kWhat>,
          .launch = Launch};
}
}  // namespace culprit
