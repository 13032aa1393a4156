// SPDX-License-Identifier: Apache-2.0
// The wgmma stages in which two warpgroups alternate, each with its own tiles: one stores its sums while the other
// multiplies. A third warpgroup copies tile after tile for both, through one ring of buffers.
#pragma once
#include "kernels/hgemm/wgmma_specialised.cuh"

namespace culprit {

// The parameters of these stages. A tile is two multiplications high: each value of B in shared memory serves 128 rows.
struct PingPong {
  int tile_n = 0;
  int buffers = 0;
  int boxes_of_warp = 0;  // boxes of C; the TMA may still read one while the next is written

  constexpr int CBytes() const { return kWarpgroups * 4 * boxes_of_warp * kCBoxBytes; }
};

inline constexpr int kPingPongBlocksOfRows = kWgmmaTileM / kWgmmaRows;
// setmaxnreg: the sums of a 128x192 tile alone take 192 registers of each thread.
inline constexpr int kPingPongCopyingRegisters = 24, kPingPongMultiplyingRegisters = 240;

template <PingPong kWhat>
using PingPongShared = WgmmaShared<kWhat.buffers, kWhat.CBytes(), kWgmmaTileM, kWhat.tile_n>;

// The tiles that a block takes in order; each of its two warpgroups takes every second one.
template <PingPong kWhat>
struct PingPongTiles {
  int rows, columns, count;  // count: tiles of this block
  __device__ explicit PingPongTiles(const GemmShape& s)
      : rows((s.m + kWgmmaTileM - 1) / kWgmmaTileM), columns((s.n + kWhat.tile_n - 1) / kWhat.tile_n) {
    const int left = rows * columns - static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
    count = (left + blocks - 1) / blocks;
  }
  __device__ __forceinline__ TilePlace At(int i) const {  // first row and column in C
    const TilePlace place =
        TileAt(TileOrder::kGroups, static_cast<int>(blockIdx.x) + i * static_cast<int>(gridDim.x), rows, columns);
    return {place.row * kWgmmaTileM, place.column * kWhat.tile_n};
  }
};

template <PingPong kWhat, class Element>
__device__ __forceinline__ void CopyInTurns(const TmaProblemOf<Element>& t) {
  const PingPongShared<kWhat> shared;
  const PingPongTiles<kWhat> tiles(t.p.shape);
  const int steps = StepsOfK(t.p.shape.k);
  Turn<kWhat.buffers> turn;
  for (int i = 0; i < tiles.count; ++i) {
    const TilePlace at = tiles.At(i);
    for (int step = 0; step < steps; ++step, turn.Next()) {
      BarrierWait(shared.Empty(turn.buffer), turn.phase ^ 1);
      LoadBuffer(shared, turn.buffer, t.a, t.b, at.row, at.column, step * kWgmmaTileK);
    }
  }
}

// Named barriers of 2 x 128 threads, one per warpgroup: its turn to multiply.
__device__ __forceinline__ void AwaitTurn(int warpgroup) {
  asm volatile("bar.sync %0, %1;" ::"r"(1 + warpgroup), "n"(kWarpgroups * kWarpgroup) : "memory");
}
__device__ __forceinline__ void GiveTurn(int warpgroup) {
  asm volatile("bar.arrive %0, %1;" ::"r"(1 + warpgroup), "n"(kWarpgroups * kWarpgroup) : "memory");
}

// One more named barrier. The copying warp arrives when its mbarriers are ready; the multiplying warps wait for it.
inline constexpr int kReadyBarrier = 1 + kWarpgroups, kReadyThreads = 32 + kWarpgroups * kWarpgroup;
__device__ __forceinline__ void AwaitReady() {
  asm volatile("bar.sync %0, %1;" ::"n"(kReadyBarrier), "n"(kReadyThreads) : "memory");
}
__device__ __forceinline__ void GiveReady() {
  asm volatile("bar.arrive %0, %1;" ::"n"(kReadyBarrier), "n"(kReadyThreads) : "memory");
}

template <PingPong kWhat, class Element>
__device__ __forceinline__ void MultiplyInTurns(const TmaProblemOf<Element>& t) {
  const PingPongShared<kWhat> shared;
  const PingPongTiles<kWhat> tiles(t.p.shape);
  const int steps = StepsOfK(t.p.shape.k), warpgroup = threadIdx.x / kWarpgroup - 1;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 - 4;  // of the multiplying threads
  const SharedAddress boxes = shared.C() + warp * kWhat.boxes_of_warp * kCBoxBytes;
  const auto release = [&](int buffer) {
    if (lane == 0) BarrierArrive(shared.Empty(buffer));
  };
  Turn<kWhat.buffers> turn;
  turn.Skip(warpgroup * steps);
  if (warpgroup == 1) GiveTurn(0);
  for (int i = warpgroup; i < tiles.count; i += kWarpgroups) {
    float sums[kPingPongBlocksOfRows][kWgmmaRows * kWhat.tile_n / kWarpgroup];
    if (steps == 0) {
      ClearSums(sums[0]);
      ClearSums(sums[1]);
    }
    // Wait until the other warpgroup has waited for its last buffer. A wait checks only a phase's parity, and until
    // then the barrier of a buffer may be two phases behind.
    AwaitTurn(warpgroup);
    int before = 0;
    for (int step = 0; step < steps; ++step, turn.Next()) {
      BarrierWait(shared.Full(turn.buffer), turn.phase);
      MultiplyBuffer<Element>(sums, shared.A(turn.buffer), shared.B(turn.buffer), step == 0);
      WgmmaAwait<1>();
      if (step > 0) release(before);
      before = turn.buffer;
    }
    if (i + 1 < tiles.count) GiveTurn(warpgroup ^ 1);
    WgmmaAwait<0>();
    if (steps > 0) release(before);
    turn.Skip(steps);
    const TilePlace at = tiles.At(i);
#pragma unroll
    for (int j = 0; j < kPingPongBlocksOfRows; ++j) {
      ScaleSums(sums[j], t.p, at.row + j * kWgmmaRows, at.column);
      StoreSumsByTma<kWhat.boxes_of_warp>(sums[j], boxes, t.c, at.row + j * kWgmmaRows, at.column);
    }
  }
  if (lane == 0) AwaitStores();
}

template <PingPong kWhat, class Element>
__device__ __forceinline__ void PingPongBlock(const TmaProblemOf<Element>& t) {
  const PingPongShared<kWhat> shared;
  if (threadIdx.x == 0) {
    PrefetchMap(t.a);
    PrefetchMap(t.b);
    PrefetchMap(t.c);
    for (int i = 0; i < kWhat.buffers; ++i) {
      BarrierInit(shared.Full(i), 1);
      BarrierInit(shared.Empty(i), 4);  // the warps of one warpgroup
    }
    PublishBarriers();
  }
  if (threadIdx.x < kWarpgroup) {
    __syncwarp();
    if (threadIdx.x < 32) GiveReady();
    GiveRegisters<kPingPongCopyingRegisters>();
    if (threadIdx.x == 0) CopyInTurns<kWhat>(t);
  } else {
    AwaitReady();
    TakeRegisters<kPingPongMultiplyingRegisters>();
    MultiplyInTurns<kWhat>(t);
  }
}

}  // namespace culprit
