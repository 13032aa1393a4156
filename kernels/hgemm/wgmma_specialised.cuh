// SPDX-License-Identifier: Apache-2.0
// The wgmma stages in which one warpgroup copies and two multiply. A buffer's two barriers pass it on: `full` when its
// bytes are there, `empty` when all who read it have.
#pragma once
#include "kernels/hgemm/wgmma_block.cuh"

namespace culprit {

// In what these stages differ.
struct Specialised {
  bool persistent = false;  // a block takes tile after tile
  TileOrder order = TileOrder::kRows;
  int cluster = 1;          // blocks, one below the other in C, which share each tile of B
  bool tma_store = false;   // C goes through shared memory
  int stagger = 0;          // buffers by which the second warpgroup begins later than the first
};

inline constexpr int kSpecialisedThreads = (1 + kWarpgroups) * kWarpgroup;
inline constexpr int kSpecialisedBuffers = 4;
// setmaxnreg: 168 for each of 384 threads to begin with; 128 sums want more, the copies hardly any.
inline constexpr int kCopyingRegisters = 40, kMultiplyingRegisters = 232;

template <Specialised kWhat>
using SpecialisedShared = WgmmaShared<kSpecialisedBuffers, kWhat.tma_store ? kCBytes : 0>;

// The tiles that this block takes one after the other. `Of(i)` is the block's own tile where the cluster takes the i-th.
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
        // Each block fetches its part of B for all.
        constexpr int kBoxes = kBBoxes / kWhat.cluster;
        const SharedAddress full = shared.Full(turn.buffer);
        BarrierExpect(full, kBufferBytes);
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

// A warp's 16 rows through its two boxes, 32 columns at a time: while the TMA reads one, the other is written.
__device__ __forceinline__ void StoreSumsByTma(const float (&sums)[kWgmmaSums], SharedAddress boxes,
                                               const CUtensorMap& c, int row, int column) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kWarpgroup / 32;
#pragma unroll
  for (int i = 0; i < kWgmmaTileN / kCBoxColumns; ++i) {
    const SharedAddress box = boxes + i % kCBoxesOfWarp * kCBoxBytes;
    if (lane == 0) AwaitStoresRead<kCBoxesOfWarp - 1>();
    __syncwarp();
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
    if (lane == 0) StoreBox(c, box, row + kCBoxRows * warp, column + i * kCBoxColumns);
  }
}

// Named barriers, of which 0 is __syncthreads().
inline constexpr int kStaggerBarrier = 1;

template <Specialised kWhat, class Element>
__device__ __forceinline__ void MultiplyTiles(const TmaProblemOf<Element>& t) {
  const SpecialisedShared<kWhat> shared;
  const BlockTiles<kWhat> tiles(t.p.shape);
  const int steps = StepsOfK(t.p.shape.k), warpgroup = threadIdx.x / kWarpgroup - 1;
  const int thread = threadIdx.x % kWarpgroup;
  // One thread of the warpgroup for each block that writes into its buffers.
  const auto release = [&](int buffer) {
    if (thread >= kWhat.cluster) return;
    if constexpr (kWhat.cluster == 1)
      BarrierArrive(shared.Empty(buffer));
    else
      BarrierArriveAt(shared.Empty(buffer), thread);
  };
  const SharedAddress boxes = shared.C() + (warpgroup * 4 + thread / 32) * kCBoxesOfWarp * kCBoxBytes;

  Turn<kSpecialisedBuffers> turn;
  [[maybe_unused]] bool first_tile = true;
  tiles.ForEach([&](int row, int column) {
    if constexpr (kWhat.stagger > 0) {
      if (first_tile && warpgroup == 1) asm volatile("bar.sync %0, 256;" ::"n"(kStaggerBarrier) : "memory");
    }
    float sums[kWgmmaSums];
    if (steps == 0) ClearSums(sums);
    int before = 0;  // the buffer that the multiplication before this one reads
    for (int i = 0; i < steps; ++i, turn.Next()) {
      BarrierWait(shared.Full(turn.buffer), turn.phase);
      MultiplyBuffer<Element>(sums, shared.A(turn.buffer) + warpgroup * kWgmmaRows * kBoxRowBytes,
                              shared.B(turn.buffer), i == 0);
      WgmmaAwait<1>();
      if (i > 0) release(before);
      before = turn.buffer;
      if constexpr (kWhat.stagger > 0) {
        if (first_tile && warpgroup == 0 && i == kWhat.stagger - 1)
          asm volatile("bar.arrive %0, 256;" ::"n"(kStaggerBarrier) : "memory");
      }
    }
    if constexpr (kWhat.stagger > 0) {
      if (first_tile && warpgroup == 0 && steps < kWhat.stagger)
        asm volatile("bar.arrive %0, 256;" ::"n"(kStaggerBarrier) : "memory");
      first_tile = false;
    }
    WgmmaAwait<0>();
    if (steps > 0) release(before);
    ScaleSums(sums, t.p, row + warpgroup * kWgmmaRows, column);
    if constexpr (kWhat.tma_store)
      StoreSumsByTma(sums, boxes, t.c, row + warpgroup * kWgmmaRows, column);
    else
      StoreSums(sums, t.p, row + warpgroup * kWgmmaRows, column);
  });
  if (kWhat.tma_store && thread % 32 == 0) AwaitStores();
}

template <Specialised kWhat, class Element>
__device__ __forceinline__ void SpecialisedBlock(const TmaProblemOf<Element>& t) {
  const SpecialisedShared<kWhat> shared;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kSpecialisedBuffers; ++i) {
      BarrierInit(shared.Full(i), 1);
      BarrierInit(shared.Empty(i), kWarpgroups * kWhat.cluster);
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
