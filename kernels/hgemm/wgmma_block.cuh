// SPDX-License-Identifier: Apache-2.0
// The common source of the wgmma stages, and the stages in which all warps copy and multiply.
#pragma once
#include <cstdint>

#include "kernels/hgemm/wgmma.cuh"
#include "kernels/hgemm/wgmma_tile.h"
#include "kernels/stage.h"
#include "kernels/tma.cuh"

namespace culprit {

// A problem with TMA maps of its matrices: boxes of 128x64 of A, 64x64 of B, 16x32 of C.
template <class Element>
struct TmaProblemOf {
  CUtensorMap a, b, c;
  GemmProblemOf<Element> p;
};
using TmaProblem = TmaProblemOf<__half>;

// The block's shared memory: buffers, boxes of C if any, two barriers per buffer. Extra bytes allow for aligning the
// start.
template <int kBuffers, int kBytesOfC = 0, int kTileM = kWgmmaTileM, int kTileN = kWgmmaTileN>
struct WgmmaShared {
  static constexpr int kABytes = kTileM * kBoxRowBytes, kBBoxes = kTileN / kBoxColumns;
  static constexpr int kBufferBytes = kABytes + kBBoxes * kBBoxBytes;
  static constexpr int kBytes = kSwizzleBytes + kBuffers * kBufferBytes + kBytesOfC + 2 * kBuffers * 8;

  __device__ WgmmaShared() {
    extern __shared__ unsigned char dynamic[];
    first_ = (SharedAddressOf(dynamic) + kSwizzleBytes - 1) / kSwizzleBytes * kSwizzleBytes;
  }
  __device__ SharedAddress A(int buffer) const { return first_ + buffer * kBufferBytes; }
  __device__ SharedAddress B(int buffer) const { return A(buffer) + kABytes; }
  __device__ SharedAddress C() const { return A(kBuffers); }
  __device__ SharedAddress Full(int buffer) const { return C() + kBytesOfC + 8 * buffer; }
  __device__ SharedAddress Empty(int buffer) const { return Full(kBuffers + buffer); }

 private:
  SharedAddress first_;
};

// Cycles through the buffers; `phase` is that of their barriers in this round.
template <int kBuffers>
struct Turn {
  int buffer = 0, phase = 0;
  __device__ void Next() {
    if (++buffer == kBuffers) {
      buffer = 0;
      phase ^= 1;
    }
  }
  __device__ void Skip(int buffers) {
    phase ^= (buffer + buffers) / kBuffers & 1;
    buffer = (buffer + buffers) % kBuffers;
  }
};

// One thread copies A and B at k0 into a buffer; the buffer's barrier waits for these bytes.
template <class Shared>
__device__ __forceinline__ void LoadBuffer(const Shared& shared, int buffer, const CUtensorMap& a, const CUtensorMap& b,
                                           int row, int column, int k0) {
  BarrierExpect(shared.Full(buffer), Shared::kBufferBytes);
  LoadBox(shared.A(buffer), a, row, k0, shared.Full(buffer));
#pragma unroll
  for (int i = 0; i < Shared::kBBoxes; ++i)
    LoadBox(shared.B(buffer) + i * kBBoxBytes, b, k0, column + i * kBoxColumns, shared.Full(buffer));
}

// One warpgroup starts multiplying its 64 rows of A, at `a`, by 2 kSums columns of B. `first`: overwrite the sums.
template <class Element, int kSums>
__device__ __forceinline__ void MultiplyBuffer(float (&sums)[kSums], SharedAddress a, SharedAddress b, bool first) {
  WgmmaBegin();
#pragma unroll
  for (int step = 0; step < kWgmmaTileK / kWgmmaStepK; ++step)
    Wgmma<Element>(sums, ADescriptor(a, step), BDescriptor(b, step), !first || step > 0);
  WgmmaCommit();
}

// The same for kBlocks times 64 rows below each other: each value of B that it reads is used for all.
template <class Element, int kBlocks, int kSums>
__device__ __forceinline__ void MultiplyBuffer(float (&sums)[kBlocks][kSums], SharedAddress a, SharedAddress b,
                                               bool first) {
  WgmmaBegin();
#pragma unroll
  for (int step = 0; step < kWgmmaTileK / kWgmmaStepK; ++step)
#pragma unroll
    for (int block = 0; block < kBlocks; ++block)
      Wgmma<Element>(sums[block], ADescriptor(a + block * kWgmmaRows * kBoxRowBytes, step), BDescriptor(b, step),
                     !first || step > 0);
  WgmmaCommit();
}

// Turns sums into alpha * product + beta * C; `row` and `column` are those of the warpgroup's first sum.
template <int kSums, class Problem>
__device__ __forceinline__ void ScaleSums(float (&sums)[kSums], const Problem& p, int row, int column) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) sums[i] *= p.alpha;
  if (p.beta == 0.0f) return;
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kWarpgroup / 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int m = row + 16 * warp + lane / 4 + 8 * half;
    const float* const old_row = p.c + static_cast<std::int64_t>(m) * p.shape.n;
#pragma unroll
    for (int j = 0; j < kSums / 4; ++j) {
      const int n = column + 8 * j + 2 * (lane % 4);
      float2 old = make_float2(0.0f, 0.0f);
      if (m < p.shape.m && n < p.shape.n) old = *reinterpret_cast<const float2*>(old_row + n);
      float* const sum = sums + 4 * j + 2 * half;
      sum[0] += p.beta * old.x;
      sum[1] += p.beta * old.y;
    }
  }
}

// Each thread stores its own sums, two neighbours at a time: 4 lanes fill a sector.
template <int kSums, class Problem>
__device__ __forceinline__ void StoreSums(const float (&sums)[kSums], const Problem& p, int row, int column) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kWarpgroup / 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int m = row + 16 * warp + lane / 4 + 8 * half;
    if (m >= p.shape.m) continue;
    float* const c = p.c + static_cast<std::int64_t>(m) * p.shape.n + column + 2 * (lane % 4);
#pragma unroll
    for (int j = 0; j < kSums / 4; ++j) {
      if (column + 8 * j < p.shape.n)
        *reinterpret_cast<float2*>(c + 8 * j) = make_float2(sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]);
    }
  }
}

template <int kSums>
__device__ __forceinline__ void ClearSums(float (&sums)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) sums[i] = 0.0f;
}

__device__ __forceinline__ int StepsOfK(int k) { return (k + kWgmmaTileK - 1) / kWgmmaTileK; }

// Two warpgroups multiply, and one of their threads starts the copies, with kBuffers tiles in flight.
template <int kBuffers, class Element>
__device__ __forceinline__ void WgmmaBlock(const TmaProblemOf<Element>& t) {
  const WgmmaShared<kBuffers> shared;
  const int columns = (t.p.shape.n + kWgmmaTileN - 1) / kWgmmaTileN;
  const TilePlace place = TileAt(TileOrder::kRows, blockIdx.x, 0, columns);
  const int row = place.row * kWgmmaTileM, column = place.column * kWgmmaTileN, warpgroup = threadIdx.x / kWarpgroup;
  const int steps = StepsOfK(t.p.shape.k);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kBuffers; ++i) BarrierInit(shared.Full(i), 1);
    PublishBarriers();
    for (int i = 0; i < kBuffers && i < steps; ++i) LoadBuffer(shared, i, t.a, t.b, row, column, i * kWgmmaTileK);
  }
  __syncthreads();

  float sums[kWgmmaSums];
  if (steps == 0) ClearSums(sums);
  Turn<kBuffers> turn;
  for (int i = 0; i < steps; ++i, turn.Next()) {
    BarrierWait(shared.Full(turn.buffer), turn.phase);
    MultiplyBuffer<Element>(sums, shared.A(turn.buffer) + warpgroup * kWgmmaRows * kBoxRowBytes, shared.B(turn.buffer),
                            i == 0);
    WgmmaAwait<0>();
    __syncthreads();  // nobody reads the buffer any more
    if (threadIdx.x == 0 && i + kBuffers < steps)
      LoadBuffer(shared, turn.buffer, t.a, t.b, row, column, (i + kBuffers) * kWgmmaTileK);
  }
  ScaleSums(sums, t.p, row + warpgroup * kWgmmaRows, column);
  StoreSums(sums, t.p, row + warpgroup * kWgmmaRows, column);
}

}  // namespace culprit
