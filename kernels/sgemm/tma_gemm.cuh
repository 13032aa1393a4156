// SPDX-License-Identifier: Apache-2.0
// fp32 product of tiles that the TMA copies, with 16x8 results per thread. Shared by sgemm_tma and sgemm_stream_k.
//
// Three things prevent an FFMA in each cycle. This is how the kernel handles them:
// - Register banks: an FFMA reads three registers, and each of two banks gives one per cycle. Accumulators are in quads
//   of the order 1, 0, 3, 2 and B's values in quads of the order 0, 1, 2, 3, so neighbours never share a bank. The next
//   FFMA reuses A's value, so each bank gives one register. The compiler must not move accumulators, so
//   kMultiplyingRegisters leaves it no spare registers: with 16 more, one FFMA in five waited (dispatch_stall 21.5 % of
//   an H200's time), now one in seventeen.
// - Instruction cache: a loop above 32 KB does not fit. One of 35 KB waited 9 % of the time (no_instruction). 12 k take
//   27 KB.
// - Other instructions: 6 loads of 16 bytes per 128 FFMAs, and 35 loop instructions per 12 k.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/epilogue.cuh"
#include "kernels/hgemm/wgmma_tile.h"
#include "kernels/host_device.h"
#include "kernels/launch.h"
#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/tile_plan.h"
#include "kernels/shared_access.h"
#include "kernels/stage.h"
#include "kernels/stream_memory.h"
#include "kernels/tensor_map.h"
#include "kernels/tma.cuh"

namespace culprit {

// Rows are A's, columns are B's. A warp has 128x32 results: 8 lanes share its rows, 4 its columns.
struct TmaTile {
  static constexpr int kM = 256, kN = 128, kK = 12, kBuffers = 6;
  static constexpr int kThreadM = 16, kThreadN = 8, kLanesM = 8, kLanesN = 4, kFour = 4;
  static constexpr int kWarpM = kThreadM * kLanesM, kWarpN = kThreadN * kLanesN;
  static constexpr int kWarpsN = kN / kWarpN, kMultiplyingWarps = kM / kWarpM * kWarpsN;
  static constexpr int kMultiplyingThreads = 32 * kMultiplyingWarps;
  static constexpr int kThreads = kMultiplyingThreads + 128;  // registers are assigned per four warps
  static constexpr int kMultiplyingRegisters = 192, kCopyingRegisters = 40;
  static constexpr int kABytes = kM * kK * 4, kBBytes = kN * kK * 4, kBufferBytes = kABytes + kBBytes;
  static constexpr int kResults = kThreadM * kThreadN;
  static constexpr int kPartFloats = kResults * kMultiplyingThreads;  // the sums of a tile
  static constexpr int kSharedBytes = kBuffers * kBufferBytes + 2 * 8 * kBuffers + 16;
  CULPRIT_HOST_DEVICE static constexpr int Steps(int k) { return (k + kK - 1) / kK; }
};

inline constexpr int kLeastSteps = 4;
inline TilePlan PlanTiles(const GemmShape& s, int blocks, bool shares_steps) {
  const int rows = static_cast<int>(Tiles(s.m, TmaTile::kM)), columns = static_cast<int>(Tiles(s.n, TmaTile::kN));
  const int steps = TmaTile::Steps(s.k);
  if (!shares_steps) return {rows, columns, steps, std::min(rows * columns, blocks), 0};
  return PlanTiles(rows, columns, steps, blocks, kLeastSteps);
}

// A transposed (k x m) and B as TMA maps, both with rows of a multiple of 16 bytes.
struct TmaProblem {
  CUtensorMap a, b;
  GemmProblem p;
  TilePlan plan;
  float4* parts;  // per block, the sums of a tile that another block finishes
  int* ready;     // per block: its part is complete
};

struct TmaShared {
  SharedAddress first;
  __device__ __forceinline__ SharedAddress Full(int buffer) const {
    return first + TmaTile::kBuffers * TmaTile::kBufferBytes + 8 * buffer;
  }
  __device__ __forceinline__ SharedAddress Empty(int buffer) const { return Full(TmaTile::kBuffers + buffer); }
  __device__ __forceinline__ SharedAddress Zero() const { return Full(2 * TmaTile::kBuffers); }
};

// The block's index in the plan. Blocks wait only for those that started earlier.
__device__ __forceinline__ int PlannedBlock() { return static_cast<int>(gridDim.x - 1 - blockIdx.x); }

// Calls take(tile, first step, end of steps) for this block's work.
template <class Take>
__device__ __forceinline__ void ForEachPart(const TilePlan& plan, Take& take) {
  const int block = PlannedBlock();
  int at = plan.FirstStep(block), whole = plan.shared + block;
  const int end = plan.FirstStep(block + 1);
#pragma unroll 1
  for (;;) {
    int tile, step, steps_end;
    if (at < end) {
      tile = at / plan.steps;
      step = at - tile * plan.steps;
      steps_end = min(plan.steps, step + end - at);
      at += steps_end - step;
    } else if (whole < plan.Tiles()) {
      tile = whole;
      step = 0;
      steps_end = plan.steps;
      whole += plan.blocks;
    } else {
      return;
    }
    take(tile, step, steps_end);
  }
}

__device__ __forceinline__ void LoadFour(float* four, SharedAddress at) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(four[0]), "=f"(four[1]), "=f"(four[2]), "=f"(four[3])
               : "r"(at));
}

// Polls once whether `phase` is over.
__device__ __forceinline__ bool BarrierTry(SharedAddress barrier, int phase) {
  std::uint32_t over;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(over)
      : "r"(barrier), "r"(phase)
      : "memory");
  return over != 0;
}

__device__ __forceinline__ void CopyTiles(const TmaProblem& t, const TmaShared& shared) {
  int buffer = 0, phase = 1;
  PrefetchMap(t.a);
  PrefetchMap(t.b);
  const auto copy = [&](int tile, int step, int end) {
    const TilePlace place = TileAt(TileOrder::kGroups, tile, t.plan.rows, t.plan.columns);
#pragma unroll 1
    for (; step < end; ++step) {
      BarrierWait(shared.Empty(buffer), phase);
      BarrierExpect(shared.Full(buffer), TmaTile::kBufferBytes);
      const SharedAddress to = shared.first + buffer * TmaTile::kBufferBytes;
      LoadBox(to, t.a, step * TmaTile::kK, place.row * TmaTile::kM, shared.Full(buffer));
      LoadBox(to + TmaTile::kABytes, t.b, step * TmaTile::kK, place.column * TmaTile::kN, shared.Full(buffer));
      if (++buffer == TmaTile::kBuffers) {
        buffer = 0;
        phase ^= 1;
      }
    }
  };
  ForEachPart(t.plan, copy);
}

// This thread's place in a tile: rows Row() + 32 i + e, columns Column() + 16 j + e, e in 0..3. Lanes are numbered so
// that the two quarters of a warp that are served together read the same values of B or of A.
struct TmaLane {
  int row, column;
  CULPRIT_HOST_DEVICE explicit constexpr TmaLane(int thread) : row(0), column(0) {
    const int warp = thread / 32, lane = thread % 32;
    row = warp / TmaTile::kWarpsN * TmaTile::kWarpM + ((lane >> 4 & 1) * 4 + (lane >> 1 & 3)) * TmaTile::kFour;
    column = warp % TmaTile::kWarpsN * TmaTile::kWarpN + ((lane >> 3 & 1) * 2 + (lane & 1)) * TmaTile::kFour;
  }
};

using TmaSums = float[TmaTile::kThreadM][TmaTile::kThreadN];

// The sums of four neighbours in register order: see above.
__device__ __forceinline__ float4 FourOf(const TmaSums& sums, int i) {
  const float* const s = &sums[i * 4 / TmaTile::kThreadN][i * 4 % TmaTile::kThreadN];
  return make_float4(s[1], s[0], s[3], s[2]);
}

__device__ __forceinline__ void AwaitMultiplying() {
  asm volatile("bar.sync 1, %0;" ::"n"(TmaTile::kMultiplyingThreads) : "memory");
}

__device__ __forceinline__ void LeavePart(const TmaProblem& t, const TmaSums& sums) {
  const int block = PlannedBlock();
  float4* const to = t.parts + static_cast<std::int64_t>(block) * (TmaTile::kPartFloats / 4) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < TmaTile::kResults / 4; ++i) __stcg(to + i * TmaTile::kMultiplyingThreads, FourOf(sums, i));
  __threadfence();
  AwaitMultiplying();
  if (threadIdx.x == 0) asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(t.ready + block) : "memory");
}

// Adds the following blocks' parts of `tile` in order, so that the sum is always the same.
__device__ __forceinline__ void AddParts(const TmaProblem& t, TmaSums& sums, int tile) {
  for (int block = PlannedBlock() + 1;; ++block) {
    if (threadIdx.x == 0) {
      int there = 0;
      while (there == 0)
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(there) : "l"(t.ready + block) : "memory");
    }
    AwaitMultiplying();
    const float4* const from = t.parts + static_cast<std::int64_t>(block) * (TmaTile::kPartFloats / 4) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < TmaTile::kResults / 4; ++i) {
      const float4 four = __ldcg(from + i * TmaTile::kMultiplyingThreads);
      float* const s = &sums[i * 4 / TmaTile::kThreadN][i * 4 % TmaTile::kThreadN];
      s[1] += four.x;
      s[0] += four.y;
      s[3] += four.z;
      s[2] += four.w;
    }
    if (t.plan.FirstStep(block + 1) >= (tile + 1) * t.plan.steps) return;
  }
}

__device__ __forceinline__ void StoreTile(const TmaProblem& t, const TmaSums& sums, int tile, const TmaLane& lane) {
  const TilePlace place = TileAt(TileOrder::kGroups, tile, t.plan.rows, t.plan.columns);
  const auto [m, n, k] = t.p.shape;
#pragma unroll
  for (int x = 0; x < TmaTile::kThreadM; ++x) {
    const int row = place.row * TmaTile::kM + lane.row + x / 4 * (4 * TmaTile::kLanesM) + x % 4;
    if (row >= m) continue;
#pragma unroll
    for (int y = 0; y < TmaTile::kThreadN; y += 4) {
      const int column = place.column * TmaTile::kN + lane.column + y * TmaTile::kLanesN;
      float* const out = t.p.c + static_cast<std::int64_t>(row) * n + column;
      if (n % 4 == 0) {
        if (column < n) StoreFour(out, t.p.alpha, &sums[x][y], t.p.beta);
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (column + e < n) StoreElement(out + e, t.p.alpha, sums[x][y + e], t.p.beta);
        }
      }
    }
  }
}

__device__ __forceinline__ void MultiplyTiles(const TmaProblem& t, const TmaShared& shared) {
  constexpr int kM = TmaTile::kThreadM, kN = TmaTile::kThreadN, kK = TmaTile::kK;
  constexpr int kNextRow = 4 * TmaTile::kLanesM * 4, kNextColumn = 4 * TmaTile::kLanesN * 4;  // bytes to the next four
  const TmaLane lane(static_cast<int>(threadIdx.x));
  SharedAddress a = shared.first + lane.row * 4, b = shared.first + TmaTile::kABytes + lane.column * 4;
  SharedAddress full = shared.Full(0);
  asm volatile("" : "+r"(a), "+r"(b), "+r"(full));  // not computed again at each step
  float of_a[2][kM], of_b[2][kN];
  TmaSums sums;
  int phase = 0;
  int left = t.plan.FirstStep(PlannedBlock() + 1) - t.plan.FirstStep(PlannedBlock());
  for (int i = t.plan.shared + PlannedBlock(); i < t.plan.Tiles(); i += t.plan.blocks) left += t.plan.steps;
  const auto load = [&](int which, SharedAddress from_a, SharedAddress from_b, int k) {
#pragma unroll
    for (int y = 0; y < kN; y += 4) LoadFour(of_b[which] + y, from_b + k * TmaTile::kN * 4 + y / 4 * kNextColumn);
#pragma unroll
    for (int x = 0; x < kM; x += 4) LoadFour(of_a[which] + x, from_a + k * TmaTile::kM * 4 + x / 4 * kNextRow);
  };
  if (left > 0) {
    BarrierWait(full, 0);
    load(0, a, b, 0);
  }
  const auto multiply = [&](int tile, int step, int end) {
    const bool from_the_start = step == 0;
#pragma unroll
    for (int i = 0; i < TmaTile::kResults / 4; ++i) {
      float four[4];
      LoadFour(four, shared.Zero());
      float* const s = &sums[i * 4 / kN][i * 4 % kN];
      s[1] = four[0], s[0] = four[1], s[3] = four[2], s[2] = four[3];
    }
#pragma unroll 1
    for (; step < end; ++step) {
      --left;
      SharedAddress next_a = a, next_b = b, next_full = full;
      bool there = true;
#pragma unroll
      for (int k = 0; k < kK; ++k) {
        if (k == kK - 4) {  // polled early, so that the answer is there when needed
          const bool last = full == shared.Full(TmaTile::kBuffers - 1);
          const int to_next = last ? -(TmaTile::kBuffers - 1) * TmaTile::kBufferBytes : TmaTile::kBufferBytes;
          next_a += to_next;
          next_b += to_next;
          next_full = last ? shared.Full(0) : full + 8;
          phase ^= last;
          if (left > 0) there = BarrierTry(next_full, phase);
        }
        if (k == kK - 1) {
          if (!there) BarrierWait(next_full, phase);
          __syncwarp();
          if (threadIdx.x % 32 == 0) BarrierArrive(full + 8 * TmaTile::kBuffers);  // the whole buffer is in registers
        }
        // After the last step nothing is left to load; values read from the next buffer are not used.
        if (k + 1 < kK)
          load((k + 1) & 1, a, b, k + 1);
        else
          load(0, next_a, next_b, 0);
#pragma unroll
        for (int x = 0; x < kM; ++x) {
#pragma unroll
          for (int j = 0; j < kN; ++j) {
            const int y = x % 2 == 0 ? j : kN - 1 - j;  // B's value is used twice at a turn
            sums[x][y] = fmaf(of_a[k & 1][x], of_b[k & 1][y], sums[x][y]);
          }
        }
      }
      a = next_a;
      b = next_b;
      full = next_full;
    }
    if (!from_the_start) {
      LeavePart(t, sums);
      return;
    }
    if (end < t.plan.steps) AddParts(t, sums, tile);
    StoreTile(t, sums, tile, lane);
  };
  ForEachPart(t.plan, multiply);
}

__device__ __forceinline__ void TmaGemm(const TmaProblem& t) {
  extern __shared__ __align__(128) unsigned char tma_gemm_shared[];
  const TmaShared shared{SharedAddressOf(tma_gemm_shared)};
  if (threadIdx.x == 0) {
    asm volatile("st.shared.v4.f32 [%0], {%1, %1, %1, %1};" ::"r"(shared.Zero()), "f"(0.0f) : "memory");
    for (int i = 0; i < TmaTile::kBuffers; ++i) {
      BarrierInit(shared.Full(i), 1);
      BarrierInit(shared.Empty(i), TmaTile::kMultiplyingWarps);
    }
    PublishBarriers();
  }
  __syncthreads();
  if (threadIdx.x >= TmaTile::kMultiplyingThreads) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(TmaTile::kCopyingRegisters));
    if (threadIdx.x == TmaTile::kMultiplyingThreads) CopyTiles(t, shared);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(TmaTile::kMultiplyingRegisters));
    MultiplyTiles(t, shared);
  }
}

// Runs before the product: transposes A, and pads B's rows to a multiple of 16 bytes where needed. Blocks for 64x64 of
// A come first, then blocks for kPaddedFloats of B.
struct TmaInputs {
  const float *a, *b;
  float *transposed, *padded;  // `padded` is null when B is used as it is
  int* ready;
  GemmShape shape;
  int transposed_row, padded_row;
};
inline constexpr int kTurned = 64, kPaddedFloats = 4096, kInputThreads = 256;

__device__ __forceinline__ void PrepareTmaInputs(const TmaInputs& in, int blocks_of_product) {
  __shared__ float turned[kTurned][kTurned + 1];
  const auto [m, n, k] = in.shape;
  const int blocks_k = (k + kTurned - 1) / kTurned, blocks_a = blocks_k * ((in.transposed_row + kTurned - 1) / kTurned);
  if (blockIdx.x == 0)
    for (int i = threadIdx.x; i < blocks_of_product; i += kInputThreads) in.ready[i] = 0;
  const int block = blockIdx.x;
  if (block < blocks_a) {
    const int k0 = block % blocks_k * kTurned, m0 = block / blocks_k * kTurned;
    const int x = threadIdx.x % kTurned, y = threadIdx.x / kTurned;
#pragma unroll
    for (int i = 0; i < kTurned; i += kInputThreads / kTurned) {
      const int row = m0 + y + i;
      turned[y + i][x] = row < m && k0 + x < k ? in.a[static_cast<std::int64_t>(row) * k + k0 + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTurned; i += kInputThreads / kTurned) {
      if (k0 + y + i < k && m0 + x < in.transposed_row)
        in.transposed[static_cast<std::int64_t>(k0 + y + i) * in.transposed_row + m0 + x] = turned[x][y + i];
    }
  } else if (in.padded != nullptr) {
    const std::int64_t first = static_cast<std::int64_t>(block - blocks_a) * kPaddedFloats;
    for (int i = threadIdx.x; i < kPaddedFloats; i += kInputThreads) {
      const std::int64_t at = first + i, row = at / in.padded_row;
      const int column = static_cast<int>(at - row * in.padded_row);
      if (row < k) in.padded[at] = column < n ? in.b[row * n + column] : 0.0f;
    }
  }
}

inline LadderFactors TmaFactors() {
  return {.block_mapping = "in groups of 8 rows",
          .shared_memory = "A and B tiles",
          .copy_mapping = "TMA, by a warp of its own",
          .block_tile = "256x128x12",
          .thread_tile = "16x8",
          .load_width = "boxes of the TMA, C 128 bit",
          .a_tile_layout = "transposed by a kernel before",
          .lane_map = "z-order",
          .loop_nest = "k->m->n, to and fro",
          .fragments = "registers, double-buffered",
          .unroll = "pragma",
          .shared_buffers = "6, mbarriers",
          .global_prefetch = "TMA, six tiles ahead",
          .bounds_checks = "by the TMA, stores"};
}

// No lanes take part in TMA stores.
inline std::vector<SharedAccess> TmaAccesses() {
  return {WarpAccess("load A", {"A", TmaTile::kM}, SharedOp::kLoad, 4, [](int t) { return TmaLane(t).row; }),
          WarpAccess("load B", {"B", TmaTile::kN}, SharedOp::kLoad, 4, [](int t) { return TmaLane(t).column; })};
}

inline LaunchConfig TmaGemmConfig(const GemmShape& s, bool shares_steps) {
  return {dim3(static_cast<unsigned>(PlanTiles(s, Multiprocessors(), shares_steps).blocks)), dim3(TmaTile::kThreads),
          TmaTile::kSharedBytes};
}

// Enqueues both kernels of `stage`.
inline void LaunchTmaGemm(const char* stage, const void* prepare, const void* product, bool shares_steps,
                          const GemmProblem& p, cudaStream_t stream) {
  RequireAlignment(stage, p.a, p.b, p.c, 16);
  const auto [m, n, k] = p.shape;
  const auto in_fours = [](int x) { return (x + 3) / 4 * 4; };
  const TilePlan plan = PlanTiles(p.shape, Multiprocessors(), shares_steps);
  const auto bytes_of = [](std::int64_t rows, std::int64_t columns) {
    return (static_cast<std::size_t>(rows * columns) * 4 + 255) / 256 * 256;
  };
  const std::size_t transposed = bytes_of(k, in_fours(m)), padded = n % 4 == 0 ? 0 : bytes_of(k, in_fours(n));
  const std::size_t parts = plan.shared == 0 ? 0 : bytes_of(plan.blocks, TmaTile::kPartFloats);
  const StreamMemory memory(stage, transposed + padded + parts + bytes_of(plan.blocks, 1), stream);
  TmaInputs inputs{p.a,
                   p.b,
                   memory.At<float>(0),
                   padded == 0 ? nullptr : memory.At<float>(transposed),
                   memory.At<int>(transposed + padded + parts),
                   p.shape,
                   in_fours(m),
                   in_fours(n)};
  int blocks = plan.blocks;
  const unsigned blocks_a = Tiles(k, kTurned) * Tiles(in_fours(m), kTurned);
  const unsigned blocks_b = padded == 0 ? 0 : static_cast<unsigned>((padded / 4 + kPaddedFloats - 1) / kPaddedFloats);
  void* of_inputs[] = {&inputs, &blocks};
  EnqueueWithArguments(stage, prepare, {dim3(std::max(blocks_a + blocks_b, 1u)), dim3(kInputThreads), 0}, of_inputs,
                       stream);
  TmaProblem problem{
      TensorMapOf({inputs.transposed, TensorElement::kFloat, k, in_fours(m), TmaTile::kK, TmaTile::kM}),
      TensorMapOf({padded == 0 ? p.b : inputs.padded, TensorElement::kFloat, k, in_fours(n), TmaTile::kK, TmaTile::kN}),
      p,
      plan,
      memory.At<float4>(transposed + padded),
      inputs.ready};
  void* of_product[] = {&problem};
  EnqueueWithArguments(stage, product, TmaGemmConfig(p.shape, shares_steps), of_product, stream);
}

}  // namespace culprit
