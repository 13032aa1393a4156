// SPDX-License-Identifier: Apache-2.0
// hgemm_specialised with tiles of 64x128, for shapes with fewer large tiles than the device has SMs.
// Idea     at 1024 there are 32 tiles of 128x256 for 132 SMs, but 128 of 64x128. One warpgroup multiplies, and six
//          tiles can be in flight.
// Expect   four times as many SMs at work up to 1024; slower from 2048 on, because each value is fetched more often.
// Not yet  a choice by shape.
#include "kernels/hgemm/wgmma_stage.h"

namespace culprit {
namespace {

constexpr int kTileM = 64, kTileN = 128, kBuffers = 6;
using Shared = WgmmaShared<kBuffers, 0, kTileM, kTileN>;

__device__ __forceinline__ void SmallTile(const TmaProblem& t) {
  const Shared shared;
  const TilePlace place = TileAt(TileOrder::kRows, blockIdx.x, 0, (t.p.shape.n + kTileN - 1) / kTileN);
  const int row = place.row * kTileM, column = place.column * kTileN, steps = StepsOfK(t.p.shape.k);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kBuffers; ++i) {
      BarrierInit(shared.Full(i), 1);
      BarrierInit(shared.Empty(i), 4);
    }
    PublishBarriers();
  }
  __syncthreads();

  Turn<kBuffers> turn;
  if (threadIdx.x >= kWarpgroup) {  // a warp that copies
    if (threadIdx.x > kWarpgroup) return;
    for (int i = 0; i < steps; ++i, turn.Next()) {
      BarrierWait(shared.Empty(turn.buffer), turn.phase ^ 1);
      LoadBuffer(shared, turn.buffer, t.a, t.b, row, column, i * kWgmmaTileK);
    }
    return;
  }
  const auto release = [&](int buffer) {
    if (threadIdx.x % 32 == 0) BarrierArrive(shared.Empty(buffer));
  };
  float sums[kTileM * kTileN / kWarpgroup];
  if (steps == 0) ClearSums(sums);
  int before = 0;
  for (int i = 0; i < steps; ++i, turn.Next()) {
    BarrierWait(shared.Full(turn.buffer), turn.phase);
    MultiplyBuffer<__half>(sums, shared.A(turn.buffer), shared.B(turn.buffer), i == 0);
    WgmmaAwait<1>();
    if (i > 0) release(before);
    before = turn.buffer;
  }
  WgmmaAwait<0>();
  ScaleSums(sums, t.p, row, column);
  StoreSums(sums, t.p, row, column);
}

}  // namespace
}  // namespace culprit

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kWarpgroup + 32, 1)
    hgemm_small_tile(const __grid_constant__ culprit::TmaProblem t) {
  culprit::SmallTile(t);
}

namespace culprit {
namespace {

LaunchConfig Config(const GemmShape& s) {
  return WgmmaConfig(static_cast<int>(Tiles(s.m, kTileM) * Tiles(s.n, kTileN)), kWarpgroup + 32, Shared::kBytes);
}

void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueTma<kTileM>("hgemm_small_tile", ::hgemm_small_tile, Config(p.shape), p, stream);
}

HgemmChoice Choice() {
  HgemmChoice c = SpecialisedChoice({});
  c.block_tile = "64x128x64";
  c.warp_tile = "64x128 for 4 warps";
  c.api = "wgmma m64n128k16 from shared memory";
  c.buffers = "6";
  c.copied_by = "a warp of its own";
  return c;
}

}  // namespace

Stage HgemmSmallTileStage() {
  return {.id = "hgemm_small_tile",
          .family = "hgemm",
          .parent = "hgemm_specialised",
          .idea = "tiles of 64x128, so that shapes with few tiles have one for each SM",
          .factors = HgemmFactors(Choice()),
          .constraint = kWgmmaShapes,
          .device = kWgmmaDevice,
          .source_file = "kernels/hgemm/hgemm_small_tile.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_small_tile),
          .config = Config,
          .launch = Launch};
}

}  // namespace culprit
