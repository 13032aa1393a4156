// SPDX-License-Identifier: Apache-2.0
#include "kernels/hgemm/wgmma_stage.h"
#include "tests/gpu/hgemm_bfloat16_kernel.h"

namespace {
constexpr culprit::Specialised kWhat{
    .persistent = true, .order = culprit::TileOrder::kGroups, .cluster = 2, .tma_store = true, .drained_later = true};
constexpr culprit::PingPong kPingPong{.tile_n = 192, .buffers = 5, .boxes_of_warp = 1};
}  // namespace

__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(culprit::kSpecialisedThreads, 1)
    HgemmBfloat16(const __grid_constant__ culprit::TmaProblemOf<__nv_bfloat16> t) {
  culprit::SpecialisedBlock<kWhat>(t);
}

__global__ void __launch_bounds__(culprit::kSpecialisedThreads, 1)
    HgemmPingPongBfloat16(const __grid_constant__ culprit::TmaProblemOf<__nv_bfloat16> t) {
  culprit::PingPongBlock<kPingPong>(t);
}

namespace culprit {

void LaunchBfloat16(const GemmProblemOf<__nv_bfloat16>& p) {
  EnqueueTma("bfloat16", ::HgemmBfloat16, SpecialisedConfig<kWhat>(p.shape), p, nullptr);
}

void LaunchPingPongBfloat16(const GemmProblemOf<__nv_bfloat16>& p) {
  EnqueueTma("bfloat16", ::HgemmPingPongBfloat16, PingPongConfig<kPingPong>(p.shape), p, nullptr);
}

}  // namespace culprit
