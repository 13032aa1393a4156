// SPDX-License-Identifier: Apache-2.0
// The wgmma stages in which one warpgroup copies and two multiply. Each buffer has two barriers: `full` when its bytes
// have arrived, `empty` when all readers are done.
#pragma once
#include "kernels/hgemm/wgmma_block.cuh"

namespace culprit {

// The parameters of these stages.
struct Specialised {
  bool persistent = false;  // a block takes tile after tile
  TileOrder order = TileOrder::kRows;
  int cluster = 1;             // blocks below each other in C, which share each tile of B
  bool tma_store = false;      // C is stored through shared memory
  bool drained_later = false;  // C also uses the last two buffers and is stored while the next tile is multiplied
};

inline constexpr int kSpecialisedThreads = (1 + kWarpgroups) * kWarpgroup;
inline constexpr int kSpecialisedBuffers = 4;
// setmaxnreg: each of 384 threads starts with 168; 128 sums need more, the copies few.
inline constexpr int kCopyingRegisters = 40, kMultiplyingRegisters = 232;

template <Specialised kWhat>
using SpecialisedShared = WgmmaShared<kSpecialisedBuffers, kWhat.tma_store ? kCBytes : 0>;

// The tiles that this block takes in order. `Of(i)` is the block's own tile when the cluster takes its
// i-th.
template <Specialised kWhat>
struct BlockTiles {
  int rows, columns, rank;  // rows of clusters
  __device__ explicit BlockTiles(const GemmShape& s)
      : rows((s.m + kWgmmaTileM * kWhat.cluster - 1) / (kWgmmaTileM * kWhat.cluster)),
        columns((s.n + kWgmmaTileN - 1) / kWgmmaTileN),
        rank(kWhat.cluster > 1 ? ClusterRank() : 0) {}

  // Calls `take(row, column)` with the first row and column of each tile in C.
  template <class Take>
  __device__ __forceinline__ void ForEach(Take take) const {
    int i = blockIdx.x / kWhat.cluster;
    do {
      const TilePlace place = TileAt(kWhat.order, i, rows, columns);
      take((place.row * kWhat.cluster + rank) * kWgmmaTileM, place.column * kWgmmaTileN);
      if constexpr (!kWhat.persistent) break;
      i += gridDim.x / kWhat.cluster;
    } while (i < rows * columns);
  }
};

template <Specialised kWhat, class Element>
__device__ __forceinline__ void CopyTiles(const TmaProblemOf<Element>& t) {
  const SpecialisedShared<kWhat> shared;
  const BlockTiles<kWhat> tiles(t.p.shape);
  const int steps = StepsOfK(t.p.shape.k);
  Turn<kSpecialisedBuffers> turn;
  tiles.ForEach([&](int row, int column) {
    for (int i = 0; i < steps; ++i, turn.Next()) {
      BarrierWait(shared.Empty(turn.buffer), turn.phase ^ 1);
      if constexpr (kWhat.cluster == 1) {
        LoadBuffer(shared, turn.buffer, t.a, t.b, row, column, i * kWgmmaTileK);
      } else {
        // Each block fetches its part of B for all blocks of the cluster.
        constexpr int kBoxes = SpecialisedShared<kWhat>::kBBoxes / kWhat.cluster;
        const SharedAddress full = shared.Full(turn.buffer);
        BarrierExpect(full, SpecialisedShared<kWhat>::kBufferBytes);
        LoadBox(shared.A(turn.buffer), t.a, row, i * kWgmmaTileK, full);
#pragma unroll
        for (int j = 0; j < kBoxes; ++j) {
          const int box = tiles.rank * kBoxes + j;
          LoadBoxInto((1 << kWhat.cluster) - 1, shared.B(turn.buffer) + box * kBBoxBytes, t.b, i * kWgmmaTileK,
                      column + box * kBoxColumns, full);
        }
      }
    }
  });
}

// Writes one box of C (a warp's 16 rows, 32 columns from 32 i on) to shared memory and starts its store.
template <int kSums>
__device__ __forceinline__ void StoreBoxOfSums(const float (&sums)[kSums], int i, SharedAddress box,
                                               const CUtensorMap& c, int row, int column) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kWarpgroup / 32;
#pragma unroll
  for (int j = 0; j < kCBoxColumns / 8; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float* const sum = sums + i * kCBoxColumns / 2 + 4 * j + 2 * half;
      asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(box + CPair(lane / 4 + 8 * half, 4 * j + lane % 4)),
                   "f"(sum[0]), "f"(sum[1])
                   : "memory");
    }
  ShowToTma();
  __syncwarp();
  if (lane == 0) StoreBox(c, box, row + kCBoxRows * warp, column + i * kCBoxColumns, LeavesL2First());
}

// Stores all of a warp's sums through its boxes: while the TMA reads one, the next is written. Each call begins at the
// first box, which must be the one stored longest ago; so the stores of a call are whole rounds.
template <int kBoxes = kCBoxesOfWarp, int kSums>
__device__ __forceinline__ void StoreSumsByTma(const float (&sums)[kSums], SharedAddress boxes, const CUtensorMap& c,
                                               int row, int column) {
  static_assert(2 * kSums / kCBoxColumns % kBoxes == 0, "whole rounds of the boxes");
#pragma unroll
  for (int i = 0; i < 2 * kSums / kCBoxColumns; ++i) {
    if (threadIdx.x % 32 == 0) AwaitStoresRead<kBoxes - 1>();
    __syncwarp();
    StoreBoxOfSums(sums, i, boxes + i % kBoxes * kCBoxBytes, c, row, column);
  }
}

// Named barriers. Barrier 0 is __syncthreads().
inline constexpr int kMultiplyingBarrier = 1;

__device__ __forceinline__ void SyncMultiplying() {
  asm volatile("bar.sync %0, %1;" ::"n"(kMultiplyingBarrier), "n"(kWarpgroups * kWarpgroup) : "memory");
}

// Each of two buffers has room for three more boxes per warp; with the other two boxes they hold all of C.
inline constexpr int kHeldBuffers = 2;
inline constexpr int kHeldBoxes = WgmmaShared<1>::kBufferBytes / kCBoxBytes / (kWarpgroups * 4);
static_assert(kHeldBuffers * kHeldBoxes + kCBoxesOfWarp == kCBoxes, "each box of a warp has a place of its own");

// Releases a buffer when at most kStores of the warp's stores have yet to read theirs.
template <int kStores, class Release>
__device__ __forceinline__ void GiveBack(int buffer, Release release) {
  if (threadIdx.x % 32 == 0) AwaitStoresRead<kStores>();
  __syncwarp();
  release(buffer);
}

template <Specialised kWhat, class Element>
__device__ __forceinline__ void MultiplyTiles(const TmaProblemOf<Element>& t) {
  using Shared = SpecialisedShared<kWhat>;
  const Shared shared;
  const BlockTiles<kWhat> tiles(t.p.shape);
  const int steps = StepsOfK(t.p.shape.k), warpgroup = threadIdx.x / kWarpgroup - 1;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 - 4;  // of the multiplying threads
  // This warp has read the buffer: tells every block that writes into it.
  const auto release = [&](int buffer) {
    if constexpr (kWhat.cluster == 1) {
      if (lane == 0) BarrierArrive(shared.Empty(buffer));
    } else {
      if (lane < kWhat.cluster) BarrierArriveAt(shared.Empty(buffer), lane);
    }
  };
  const SharedAddress boxes = shared.C() + warp * kCBoxesOfWarp * kCBoxBytes;

  Turn<kSpecialisedBuffers> turn;
  int held[kHeldBuffers];  // the previous tile's
  bool holds = false;
  tiles.ForEach([&](int row, int column) {
    float sums[kWgmmaSums];
    if (steps == 0) ClearSums(sums);
    int before = 0;  // the buffer that the previous multiplication reads
    const int released = kWhat.drained_later && steps >= kHeldBuffers ? steps - kHeldBuffers : steps;
    for (int i = 0; i < steps; ++i, turn.Next()) {
      BarrierWait(shared.Full(turn.buffer), turn.phase);
      MultiplyBuffer<Element>(sums, shared.A(turn.buffer) + warpgroup * kWgmmaRows * kBoxRowBytes,
                              shared.B(turn.buffer), i == 0);
      if constexpr (kWhat.drained_later) {
        // Steps 0 and 1 use other buffers. Boxes are read in the order in which they were stored.
        if (holds && i == 1) GiveBack<kCBoxes - kHeldBoxes>(held[0], release);
        if (holds && i == (steps == 2 ? 1 : 2)) GiveBack<kCBoxes - 2 * kHeldBoxes>(held[1], release);
      }
      WgmmaAwait<1>();
      if (i > 0 && i <= released) release(before);
      if constexpr (kWhat.drained_later) {
        if (i == steps - 1) held[0] = before;
      }
      before = turn.buffer;
    }
    WgmmaAwait<0>();
    ScaleSums(sums, t.p, row + warpgroup * kWgmmaRows, column);
    if (kWhat.drained_later && released < steps) {
      held[1] = before;
      holds = true;
      SyncMultiplying();  // both warpgroups have read both buffers
      if (lane == 0) AwaitStoresRead<0>();
      __syncwarp();
#pragma unroll
      for (int i = 0; i < kCBoxes; ++i) {
        const SharedAddress box = i < kHeldBuffers * kHeldBoxes ? shared.A(held[i / kHeldBoxes]) +
                                                                      (warp * kHeldBoxes + i % kHeldBoxes) * kCBoxBytes
                                                                : boxes + (i - kHeldBuffers * kHeldBoxes) * kCBoxBytes;
        StoreBoxOfSums(sums, i, box, t.c, row + warpgroup * kWgmmaRows, column);
      }
    } else {
      if (steps > 0) release(before);
      if constexpr (kWhat.tma_store)
        StoreSumsByTma(sums, boxes, t.c, row + warpgroup * kWgmmaRows, column);
      else
        StoreSums(sums, t.p, row + warpgroup * kWgmmaRows, column);
    }
  });
  if (kWhat.tma_store && lane == 0) AwaitStores();
}

template <Specialised kWhat, class Element>
__device__ __forceinline__ void SpecialisedBlock(const TmaProblemOf<Element>& t) {
  const SpecialisedShared<kWhat> shared;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kSpecialisedBuffers; ++i) {
      BarrierInit(shared.Full(i), 1);
      BarrierInit(shared.Empty(i), kWarpgroups * 4 * kWhat.cluster);
    }
    PublishBarriers();
  }
  if constexpr (kWhat.cluster > 1)
    ClusterSync();
  else
    __syncthreads();

  if (threadIdx.x < kWarpgroup) {
    GiveRegisters<kCopyingRegisters>();
    if (threadIdx.x == 0) CopyTiles<kWhat>(t);
  } else {
    TakeRegisters<kMultiplyingRegisters>();
    MultiplyTiles<kWhat>(t);
  }
  if constexpr (kWhat.cluster > 1) {
    __syncwarp();
    ClusterSync();  // the other blocks still arrive at this one's barriers
  }
}

}  // namespace culprit
