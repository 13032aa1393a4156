// SPDX-License-Identifier: Apache-2.0
// sgemm_3xtf32 by wgmma, from tiles that the TMA copies.
// Idea     wgmma in TF32 needs its second factor with k contiguous in shared memory. B has n contiguous, A has k. So
//          C^T = B^T A^T, where B^T is split in registers and A is read from shared memory as it lies. Tensor cores
//          truncate what they read to TF32, so A itself is its big part. Three warps of the copying warpgroup write its
//          small part beside it. Nothing is transposed, and no kernel runs before this one.
// Expect   waits for wgmma instead of stall_wait; the error of sgemm_3xtf32, because the small part holds what A's big
//          part truncates.
// Not yet  shared memory is busy for nine tenths of the tensor cores' time: for 32 k wgmma reads 96 KB, and TMA and
//          splits move 80 KB, in 1536 cycles of 128 bytes. A tile of 192 rows needs less, but 4096 rows are 22 of
//          them.
#include <algorithm>

#include "kernels/epilogue.cuh"
#include "kernels/hgemm/wgmma.cuh"
#include "kernels/hgemm/wgmma_block.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/tf32_split.cuh"
#include "kernels/tensor_map.h"
#include "kernels/tma.cuh"

namespace culprit {
namespace {

constexpr int kTileM = 128, kTileN = 128, kTileK = 32, kBuffers = 4, kStepK = 8, kSteps = kTileK / kStepK;
constexpr int kColumns = 64, kMultiplying = kTileN / kColumns;  // of C per multiplying warpgroup
constexpr int kThreads = (1 + kMultiplying) * kWarpgroup, kSplittingWarps = 3;
constexpr int kBoxFloats = kBoxRowBytes / 4;  // a row of a box
constexpr int kABytes = kTileM * kBoxRowBytes, kBBoxFloatBytes = kTileK * kBoxRowBytes;
constexpr int kBBytes = kTileN / kBoxFloats * kBBoxFloatBytes;
constexpr int kBufferBytes = 2 * kABytes + kBBytes, kSums = kColumns * kTileM / kWarpgroup;
constexpr int kSharedBytes = kSwizzleBytes + kBuffers * kBufferBytes + 3 * kBuffers * 8;
constexpr int kFewRegisters = 40, kManyRegisters = 232;
static_assert(kTileK == kBoxFloats, "a row of A's box is a step");

// TMA maps of A and B, with boxes of 128x32 and 32x32.
struct Tf32Problem {
  CUtensorMap a, b;
  GemmProblem p;
};

// A buffer holds A's tile, its small part and B's tile. Its three barriers: `copied` when the TMA's bytes have arrived,
// `split` when A's small part is ready, `empty` when all multiplying threads have read it.
struct Shared {
  SharedAddress first;
  __device__ Shared() {
    extern __shared__ unsigned char dynamic[];
    first = (SharedAddressOf(dynamic) + kSwizzleBytes - 1) / kSwizzleBytes * kSwizzleBytes;
  }
  __device__ SharedAddress A(int buffer) const { return first + buffer * kBufferBytes; }
  __device__ SharedAddress SmallA(int buffer) const { return A(buffer) + kABytes; }
  __device__ SharedAddress B(int buffer) const { return A(buffer) + 2 * kABytes; }
  __device__ SharedAddress Copied(int buffer) const { return A(kBuffers) + 8 * buffer; }
  __device__ SharedAddress SplitDone(int buffer) const { return Copied(kBuffers + buffer); }
  __device__ SharedAddress Empty(int buffer) const { return Copied(2 * kBuffers + buffer); }
};

// The tiles of C in groups of rows; this block takes every gridDim.x-th.
template <class Take>
__device__ __forceinline__ void ForEachTile(const GemmShape& s, Take take) {
  const int rows = (s.m + kTileM - 1) / kTileM, columns = (s.n + kTileN - 1) / kTileN;
#pragma unroll 1
  for (int i = blockIdx.x; i < rows * columns; i += gridDim.x) {
    const TilePlace place = TileAt(TileOrder::kGroups, i, rows, columns);
    take(place.row * kTileM, place.column * kTileN);
  }
}

__device__ __forceinline__ int StepsOf(int k) { return (k + kTileK - 1) / kTileK; }

__device__ __forceinline__ void Copy(const Shared& shared, const Tf32Problem& t) {
  const int steps = StepsOf(t.p.shape.k);
  Turn<kBuffers> turn;
  ForEachTile(t.p.shape, [&](int row, int column) {
    for (int i = 0; i < steps; ++i, turn.Next()) {
      BarrierWait(shared.Empty(turn.buffer), turn.phase ^ 1);
      const SharedAddress copied = shared.Copied(turn.buffer);
      BarrierExpect(copied, kABytes + kBBytes);
      LoadBox(shared.A(turn.buffer), t.a, row, i * kTileK, copied);
#pragma unroll
      for (int j = 0; j < kTileN / kBoxFloats; ++j)
        LoadBox(shared.B(turn.buffer) + j * kBBoxFloatBytes, t.b, i * kTileK, column + j * kBoxFloats, copied);
    }
  });
}

// Four values of A's tile at any place: the small part has the tile's layout.
__device__ __forceinline__ void SplitFour(SharedAddress from, SharedAddress to) {
  float x[4];
  std::uint32_t small[4];
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
               : "r"(from)
               : "memory");
#pragma unroll
  for (int i = 0; i < 4; ++i) small[i] = RoundToTf32(x[i] - CutToTf32(x[i]));
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(small[0]), "r"(small[1]), "r"(small[2]),
               "r"(small[3])
               : "memory");
}

__device__ __forceinline__ void SplitA(const Shared& shared, const GemmShape& s, int thread) {
  const int steps = StepsOf(s.k);
  Turn<kBuffers> turn;
  ForEachTile(s, [&](int, int) {
    for (int i = 0; i < steps; ++i, turn.Next()) {
      BarrierWait(shared.Copied(turn.buffer), turn.phase);
      for (int at = thread * 16; at < kABytes; at += kSplittingWarps * 32 * 16)
        SplitFour(shared.A(turn.buffer) + at, shared.SmallA(turn.buffer) + at);
      ShowToTma();  // wgmma reads it through the same proxy as the TMA
      __syncwarp();
      if (thread % 32 == 0) BarrierArrive(shared.SplitDone(turn.buffer));
    }
  });
}

// A thread's columns of C: two neighbours of its warpgroup's 64, which are rows of B^T. Rows g and g + 8 of the warp's
// 16, as wgmma numbers them, are columns Column() and the next. The numbering makes the 16 lanes that load 8 bytes at
// once use every bank.
struct Lane {
  int warp, row, quarter;
  __device__ Lane() : warp(threadIdx.x % kWarpgroup / 32), row(threadIdx.x % 32 / 4), quarter(threadIdx.x % 4) {}
  __device__ int Chunk() const { return 2 * (warp % 2) + 4 * (row / 2 % 2) + row / 4; }
  __device__ int Column() const { return 32 * (warp / 2) + 4 * Chunk() + 2 * (row % 2); }
  // This lane's two columns at `k` of 8, from the first box of the warpgroup on.
  __device__ int At(int k) const {
    return warp / 2 * kBBoxFloatBytes + k * kBoxRowBytes + (Chunk() ^ k) * 16 + row % 2 * 8;
  }
};

// This lane's part of B's tile for one step of k, in the order of wgmma's first factor.
__device__ __forceinline__ void LoadB(float (&x)[kSteps][4], SharedAddress box, const Lane& lane) {
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                   : "=f"(x[step][2 * half]), "=f"(x[step][2 * half + 1])
                   : "r"(box + lane.At(lane.quarter + 4 * half) + step * kStepK * kBoxRowBytes)
                   : "memory");
  }
}

__device__ __forceinline__ void MultiplyTile(float (&part)[kSums], const std::uint32_t (&big)[kSteps][4],
                                             const std::uint32_t (&small)[kSteps][4], SharedAddress a,
                                             SharedAddress small_a) {
  const auto at = [](SharedAddress tile, int step) {
    return MatrixDescriptor(tile + step * kStepK * 4, 16, kSwizzleBytes);
  };
  WgmmaBegin();
#pragma unroll
  for (int step = 0; step < kSteps; ++step) WgmmaTf32(part, small[step], at(a, step), step > 0);
#pragma unroll
  for (int step = 0; step < kSteps; ++step) WgmmaTf32(part, big[step], at(small_a, step), true);
#pragma unroll
  for (int step = 0; step < kSteps; ++step) WgmmaTf32(part, big[step], at(a, step), true);
  WgmmaCommit();
}

// Sum 4 j + 2 i + e of a thread is C at row 8 j + 2 (lane % 4) + e, column Column() + i.
__device__ __forceinline__ void StoreTile(const float (&sums)[kSums], const GemmProblem& p, int row, int column,
                                          const Lane& lane) {
  column += lane.Column();
  row += 2 * lane.quarter;
  if (column >= p.shape.n) return;  // n is even
  if (AnyNotFinite(sums)) {
#pragma unroll 1
    for (int i = 0; i < kSums; ++i) {
      const int r = row + i / 4 * 8 + i / 2 % 2, c = column + i % 2;
      if (r < p.shape.m)
        StoreElement(p.c + static_cast<std::int64_t>(r) * p.shape.n + c, p.alpha, DotByFma(p, r, c), p.beta);
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kSums / 2; ++i) {
    const int r = row + i / 2 * 8 + i % 2;
    if (r >= p.shape.m) break;
    auto* const out = reinterpret_cast<float2*>(p.c + static_cast<std::int64_t>(r) * p.shape.n + column);
    float2 two = make_float2(p.alpha * sums[i / 2 * 4 + i % 2], p.alpha * sums[i / 2 * 4 + 2 + i % 2]);
    if (p.beta != 0.0f) {
      const float2 old = *out;
      two.x += p.beta * old.x;
      two.y += p.beta * old.y;
    }
    *out = two;
  }
}

__device__ __forceinline__ void Multiply(const Shared& shared, const GemmProblem& p, int warpgroup) {
  const int steps = StepsOf(p.shape.k);
  const Lane lane;
  Turn<kBuffers> turn;
  ForEachTile(p.shape, [&](int row, int column) {
    float sums[kSums] = {}, part[kSums];
#pragma unroll 1
    for (int i = 0; i < steps; ++i, turn.Next()) {
      float x[kSteps][4];
      std::uint32_t big[kSteps][4], small[kSteps][4];
      BarrierWait(shared.Copied(turn.buffer), turn.phase);
      LoadB(x, shared.B(turn.buffer) + warpgroup * (kColumns / kBoxFloats) * kBBoxFloatBytes, lane);
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const Split split = SplitInTwo(x[step][e]);
          big[step][e] = split.big, small[step][e] = split.small;
        }
      }
      BarrierWait(shared.SplitDone(turn.buffer), turn.phase);
      MultiplyTile(part, big, small, shared.A(turn.buffer), shared.SmallA(turn.buffer));
      WgmmaAwait<0>();
      __syncwarp();
      if (threadIdx.x % 32 == 0) BarrierArrive(shared.Empty(turn.buffer));
#pragma unroll
      for (int j = 0; j < kSums; ++j) sums[j] += part[j];
    }
    StoreTile(sums, p, row, column + warpgroup * kColumns, lane);
  });
}

LaunchConfig Config(const GemmShape& s) {
  const auto tiles = Tiles(s.m, kTileM) * Tiles(s.n, kTileN);
  return {dim3(std::min(tiles, static_cast<unsigned>(Multiprocessors()))), dim3(kThreads), kSharedBytes};
}

}  // namespace
}  // namespace culprit

constexpr int kKernelLine = __LINE__ + 2;
extern "C" __global__ void __launch_bounds__(culprit::kThreads, 1)
    sgemm_3xtf32_wgmma(const __grid_constant__ culprit::Tf32Problem t) {
  using namespace culprit;
  const Shared shared;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kBuffers; ++i) {
      BarrierInit(shared.Copied(i), 1);
      BarrierInit(shared.SplitDone(i), kSplittingWarps);
      BarrierInit(shared.Empty(i), 4 * kMultiplying);
    }
    PublishBarriers();
  }
  __syncthreads();
  if (threadIdx.x < kWarpgroup) {
    GiveRegisters<kFewRegisters>();
    if (threadIdx.x == 0) Copy(shared, t);
    if (threadIdx.x >= 32) SplitA(shared, t.p.shape, threadIdx.x - 32);
  } else {
    TakeRegisters<kManyRegisters>();
    Multiply(shared, t.p, threadIdx.x / kWarpgroup - 1);
  }
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  RequireAlignment("sgemm_3xtf32_wgmma", p.a, p.b, p.c, 16);
  const auto [m, n, k] = p.shape;
  Tf32Problem argument{TensorMapOf({p.a, TensorElement::kFloat, m, k, kTileM, kBoxFloats, TensorSwizzle::k128Bytes}),
                       TensorMapOf({p.b, TensorElement::kFloat, k, n, kTileK, kBoxFloats, TensorSwizzle::k128Bytes}),
                       p};
  void* arguments[] = {&argument};
  EnqueueWithArguments("sgemm_3xtf32_wgmma", reinterpret_cast<const void*>(::sgemm_3xtf32_wgmma), Config(p.shape),
                       arguments, stream);
}
}  // namespace

Stage Sgemm3xtf32WgmmaStage() {
  return {.id = "sgemm_3xtf32_wgmma",
          .family = "tf32",
          .parent = "sgemm_3xtf32",
          .idea = "wgmma of tiles that the TMA copies: B is split in registers, A in shared memory",
          .factors = {{"input", "fp32 as 2 x tf32"},
                      {"instruction", "wgmma m64n128k8"},
                      {"products", "3"},
                      {"block tile", "128x128x32"},
                      {"warp tile", "128x64 for 4 warps"},
                      {"shared buffers", "4, mbarriers"},
                      {"gmem->smem", "TMA, by a warpgroup of its own"},
                      {"blocks", "one for each SM, groups of 8 rows"},
                      {"sums", "of 32 k in tensor cores, then rounded to nearest"},
                      {"precision", "fp32"}},
          .constraint = {1, 4, 4},
          .device = {.least = 90, .no_other = true},
          .source_file = "kernels/sgemm/sgemm_3xtf32_wgmma.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_3xtf32_wgmma),
          .config = Config,
          .launch = Launch};
}
}  // namespace culprit
