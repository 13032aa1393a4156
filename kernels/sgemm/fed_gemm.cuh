// SPDX-License-Identifier: Apache-2.0
// The product of tma_gemm.cuh, but a warpgroup copies tiles by cp.async and transposes A. Shared by sgemm_fed and its
// descendants. Needs no kernel before it and no alignment; each SM gets the same number of steps of k.
//
// - A copying warp takes 4 rows of 8 neighbouring k: whole sectors of global memory. Rows of a tile are padded by 4
//   floats, so each lane uses another bank of shared memory. A step of 16 k costs a copying thread about 50
//   instructions.
// - The loop is unrolled over 8 k. Over all 16 it would exceed the instruction cache of 32 KB.
// - Blocks that share a tile leave their parts in L2. When all parts are there, each block sums its share of the tile.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/sgemm/tma_gemm.cuh"

namespace culprit {

// Warps stack vertically, each with 128x32 results; four stand side by side. With two slices, two such sets of warps
// have the same tile and each takes half of each step's k: as many warps for half the tile.
template <int kWarpsM, int kSlices_>
struct FedTile {
  static constexpr int kThreadM = TmaTile::kThreadM, kThreadN = TmaTile::kThreadN, kFour = 4;
  static constexpr int kLanesM = TmaTile::kLanesM, kLanesN = TmaTile::kLanesN;
  static constexpr int kWarpM = TmaTile::kWarpM, kWarpN = TmaTile::kWarpN, kWarpsN = 4, kSlices = kSlices_;
  static constexpr int kM = kWarpM * kWarpsM, kN = kWarpN * kWarpsN, kK = 16, kUnrolled = 8, kBuffers = 6;
  static constexpr int kSliceWarps = kWarpsM * kWarpsN, kSliceThreads = 32 * kSliceWarps;
  static constexpr int kMultiplyingThreads = kSliceThreads * kSlices;
  static constexpr int kCopyingThreads = 128, kThreads = kMultiplyingThreads + kCopyingThreads;
  static constexpr int kMultiplyingRegisters = 192, kCopyingRegisters = 56;
  static constexpr int kRow = kM + 4 + kN, kB = kM + 4;  // floats: for each k all of A, then all of B
  static constexpr int kBufferBytes = kRow * kK * 4, kTurns = kK / kUnrolled / kSlices,
                       kTurnBytes = kBufferBytes / kTurns;
  static constexpr int kFours = kThreadM * kThreadN / kFour;  // per thread
  static constexpr int kTileFours = kFours * kSliceThreads;
  static constexpr int kSwappedBytes = kSlices == 1 ? 0 : kTileFours * 16;
  static constexpr int kBarriers = kBuffers * kBufferBytes + kSwappedBytes;  // offset of the barriers
  static constexpr int kSharedBytes = kBarriers + 2 * 8 * kBuffers + 16 + 16 * kSliceWarps * kSlices;
  static_assert(kTurns * kSlices * kUnrolled == kK);
  static_assert(kBarriers % 16 == 0);
};

struct FedProblem {
  GemmProblem p;
  TilePlan plan;
  bool four_b, four_c;  // B may be copied, and C stored, four at a time
  float4* parts;        // two per block: of its first tile and of its last tile
  int* there;           // per shared tile, the number of parts present; zero before and after the launch
};

template <class T>
struct FedShared {
  SharedAddress first;
  __device__ __forceinline__ SharedAddress Full(int buffer) const { return first + T::kBarriers + 8 * buffer; }
  __device__ __forceinline__ SharedAddress Empty(int buffer) const { return Full(T::kBuffers + buffer); }
  __device__ __forceinline__ SharedAddress Zero() const { return Full(2 * T::kBuffers); }
  __device__ __forceinline__ SharedAddress Stash(int warp) const { return Zero() + 16 + 16 * warp; }
};

template <int kBytes>
__device__ __forceinline__ void FeedFrom(SharedAddress to, const float* from) {
  if constexpr (kBytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}
// Fills with zeros, without reading, when it is not inside.
template <int kBytes>
__device__ __forceinline__ void FeedFrom(SharedAddress to, const float* from, bool inside) {
  const int bytes = inside ? kBytes : 0;
  if constexpr (kBytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// Arrives when all copies of this thread are done.
__device__ __forceinline__ void ArriveAfterCopies(SharedAddress barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

// The copies of one thread in a step: A at its k and k + 8, and one or four columns of B.
template <class T, bool kFourB>
struct FedCopies {
  static constexpr int kLanesK = 8, kRowsAtOnce = T::kCopyingThreads / kLanesK;
  static constexpr int kBWide = kFourB ? 4 : 1, kBLanes = T::kN / kBWide, kBRowsAtOnce = T::kCopyingThreads / kBLanes;
  int thread;
  SharedAddress a_to, b_to;
  CULPRIT_HOST_DEVICE constexpr FedCopies(SharedAddress first, int of_thread)
      : thread(of_thread), a_to(first + 4 * StoreA()), b_to(first + 4 * StoreB()) {}
  CULPRIT_HOST_DEVICE constexpr int AK() const { return thread % kLanesK; }
  CULPRIT_HOST_DEVICE constexpr int ARow() const { return thread / kLanesK; }
  CULPRIT_HOST_DEVICE constexpr int BK() const { return thread / kBLanes; }
  CULPRIT_HOST_DEVICE constexpr int BColumn() const { return thread % kBLanes * kBWide; }
  CULPRIT_HOST_DEVICE constexpr int StoreA() const { return AK() * T::kRow + ARow(); }
  CULPRIT_HOST_DEVICE constexpr int StoreB() const { return BK() * T::kRow + T::kB + BColumn(); }

  // Copies from the thread's first elements. With kChecked, `rows`, `columns` and `depth` are what is left of the
  // matrices from the tile's start.
  template <bool kChecked>
  __device__ __forceinline__ void Step(int offset, const float* a, const float* b, const GemmShape& s, int rows,
                                       int columns, int depth) const {
    const std::int64_t next_a = static_cast<std::int64_t>(kRowsAtOnce) * s.k;
    const std::int64_t next_b = static_cast<std::int64_t>(kBRowsAtOnce) * s.n;
#pragma unroll
    for (int i = 0; i < T::kM / kRowsAtOnce; ++i) {
#pragma unroll
      for (int j = 0; j < T::kK / kLanesK; ++j) {
        const SharedAddress to = a_to + offset + 4 * (j * kLanesK * T::kRow + i * kRowsAtOnce);
        if constexpr (kChecked)
          FeedFrom<4>(to, a + j * kLanesK, ARow() + i * kRowsAtOnce < rows && AK() + j * kLanesK < depth);
        else
          FeedFrom<4>(to, a + j * kLanesK);
      }
      a += next_a;
    }
#pragma unroll
    for (int i = 0; i < T::kK / kBRowsAtOnce; ++i) {
      const SharedAddress to = b_to + offset + 4 * i * kBRowsAtOnce * T::kRow;
      if constexpr (kChecked)
        FeedFrom<4 * kBWide>(to, b, BColumn() < columns && BK() + i * kBRowsAtOnce < depth);
      else
        FeedFrom<4 * kBWide>(to, b);
      b += next_b;
    }
  }
};

template <class T, bool kFourB>
__device__ __forceinline__ void FeedTiles(const FedProblem& t, const FedShared<T>& shared) {
  const FedCopies<T, kFourB> copies(shared.first, static_cast<int>(threadIdx.x) - T::kMultiplyingThreads);
  const GemmShape s = t.p.shape;
  int buffer = 0, phase = 1;
  const auto feed = [&](int tile, int step, int end) {
    const TilePlace place = TileAt(TileOrder::kGroups, tile, t.plan.rows, t.plan.columns);
    const int row = place.row * T::kM, column = place.column * T::kN;
    const bool inside = row + T::kM <= s.m && column + T::kN <= s.n;
    const float* a = t.p.a + static_cast<std::int64_t>(row + copies.ARow()) * s.k + step * T::kK + copies.AK();
    const float* b = t.p.b + static_cast<std::int64_t>(step * T::kK + copies.BK()) * s.n + column + copies.BColumn();
#pragma unroll 1
    for (; step < end; ++step) {
      BarrierWait(shared.Empty(buffer), phase);
      const int depth = s.k - step * T::kK;
      if (inside && depth >= T::kK)
        copies.template Step<false>(buffer * T::kBufferBytes, a, b, s, 0, 0, 0);
      else
        copies.template Step<true>(buffer * T::kBufferBytes, a, b, s, s.m - row, s.n - column, depth);
      ArriveAfterCopies(shared.Full(buffer));
      a += T::kK;
      b += static_cast<std::int64_t>(T::kK) * s.n;
      if (++buffer == T::kBuffers) {
        buffer = 0;
        phase ^= 1;
      }
    }
  };
  ForEachPart(t.plan, feed);
  // Multiplying warps wait for one step more than there are. They do not use the data of that step.
  BarrierWait(shared.Empty(buffer), phase);
  BarrierArrive(shared.Full(buffer));
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// The position of a slice thread's first four results, like TmaLane.
template <class T>
struct FedLane {
  int row, column;
  CULPRIT_HOST_DEVICE explicit constexpr FedLane(int thread) : row(0), column(0) {
    const int warp = thread / 32, lane = thread % 32;
    row = warp / T::kWarpsN * T::kWarpM + ((lane >> 4 & 1) * 4 + (lane >> 1 & 3)) * T::kFour;
    column = warp % T::kWarpsN * T::kWarpN + ((lane >> 3 & 1) * 2 + (lane & 1)) * T::kFour;
  }
};

template <class T>
__device__ __forceinline__ void AwaitSlices() {
  asm volatile("bar.sync 1, %0;" ::"n"(T::kMultiplyingThreads) : "memory");
}

// Stores four neighbours, the `i`-th of the thread, in register order.
template <class T>
__device__ __forceinline__ void StoreFed(const FedProblem& t, const TilePlace& place, const FedLane<T>& lane, int i,
                                         const float4& four) {
  const auto [m, n, k] = t.p.shape;
  const int x = i * 4 / T::kThreadN, y = i * 4 % T::kThreadN;
  const int row = place.row * T::kM + lane.row + x / 4 * (4 * T::kLanesM) + x % 4;
  const int column = place.column * T::kN + lane.column + y * T::kLanesN;
  if (row >= m) return;
  float* const out = t.p.c + static_cast<std::int64_t>(row) * n + column;
  const float in_order[4] = {four.y, four.x, four.w, four.z};
  if (t.four_c) {
    if (column < n) StoreFour(out, t.p.alpha, in_order, t.p.beta);
  } else {
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (column + e < n) StoreElement(out + e, t.p.alpha, in_order[e], t.p.beta);
  }
}

// The place where block `block` writes its part of `tile`.
template <class T>
__device__ __forceinline__ float4* PartOf(const FedProblem& t, int block, int tile) {
  const int which = t.plan.FirstStep(block) / t.plan.steps == tile ? 0 : 1;
  return t.parts + (static_cast<std::int64_t>(block) * 2 + which) * T::kTileFours;
}

// Stores or passes on a thread's fours from kBegin to kEnd after its last step of a tile.
template <class T, int kBegin, int kEnd>
__device__ __forceinline__ void FinishFed(const FedProblem& t, const TmaSums& sums, int tile, int thread, bool whole) {
  if (whole) {
    const TilePlace place = TileAt(TileOrder::kGroups, tile, t.plan.rows, t.plan.columns);
    const FedLane<T> lane(thread);
#pragma unroll
    for (int i = kBegin; i < kEnd; ++i) StoreFed<T>(t, place, lane, i, FourOf(sums, i));
    return;
  }
  float4* const to = PartOf<T>(t, PlannedBlock(), tile) + thread;
#pragma unroll
  for (int i = kBegin; i < kEnd; ++i) __stcg(to + i * T::kSliceThreads, FourOf(sums, i));
}

// Gives the other slice its half of the tile, and adds the other slice's sums to its own half.
template <class T, int kBegin, int kEnd, int kOtherBegin>
__device__ __forceinline__ void SwapHalves(SharedAddress swapped, TmaSums& sums, int thread) {
  AwaitSlices<T>();  // the values exchanged for the previous tile have been read
#pragma unroll
  for (int i = 0; i < kEnd - kBegin; ++i) {
    const float4 four = FourOf(sums, kOtherBegin + i);
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(swapped +
                                                                  ((kOtherBegin + i) * T::kSliceThreads + thread) * 16),
                 "f"(four.x), "f"(four.y), "f"(four.z), "f"(four.w)
                 : "memory");
  }
  AwaitSlices<T>();
#pragma unroll
  for (int i = kBegin; i < kEnd; ++i) {
    float four[4];
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four[0]), "=f"(four[1]), "=f"(four[2]), "=f"(four[3])
                 : "r"(swapped + (i * T::kSliceThreads + thread) * 16)
                 : "memory");
    float* const s = &sums[i * 4 / T::kThreadN][i * 4 % T::kThreadN];
    s[1] += four[0];
    s[0] += four[1];
    s[3] += four[2];
    s[2] += four[3];
  }
}

// Fours `begin` to `end` of a tile, summed over all parts in order, with kAtOnce fours of kParts parts in flight. The
// first part may be at `first`; the other parts begin with this tile.
template <class T, int kAtOnce, int kParts>
__device__ __forceinline__ void AddFours(const FedProblem& t, const TilePlace& place, const TileSharers& sharers,
                                         const float4* first, int begin, int end) {
  const float4* const others = t.parts + static_cast<std::int64_t>(sharers.first) * 2 * T::kTileFours;
  for (int at = begin + static_cast<int>(threadIdx.x); at < end; at += kAtOnce * T::kMultiplyingThreads) {
    float4 sum[kAtOnce] = {};
#pragma unroll 1
    for (int i = 0; i < sharers.count; i += kParts) {
      float4 four[kParts][kAtOnce];
#pragma unroll
      for (int j = 0; j < kParts; ++j) {
        const float4* const from = i + j == 0 ? first : others + static_cast<std::int64_t>(i + j) * 2 * T::kTileFours;
#pragma unroll
        for (int l = 0; l < kAtOnce; ++l) {
          const int of = at + l * T::kMultiplyingThreads;
          four[j][l] = i + j < sharers.count && of < end ? __ldcg(from + of) : make_float4(0, 0, 0, 0);
        }
      }
#pragma unroll
      for (int j = 0; j < kParts; ++j) {
#pragma unroll
        for (int l = 0; l < kAtOnce; ++l) {
          sum[l].x += four[j][l].x;
          sum[l].y += four[j][l].y;
          sum[l].z += four[j][l].z;
          sum[l].w += four[j][l].w;
        }
      }
    }
#pragma unroll
    for (int l = 0; l < kAtOnce; ++l) {
      const int of = at + l * T::kMultiplyingThreads;
      if (of < end) StoreFed<T>(t, place, FedLane<T>(of % T::kSliceThreads), of / T::kSliceThreads, sum[l]);
    }
  }
}

// Sums this block's share of a `tile` to which it and others have contributed parts.
template <class T>
__device__ __forceinline__ void AddShare(const FedProblem& t, int tile) {
  const TileSharers sharers = SharersOf(t.plan, tile);
  const int mine = PlannedBlock() - sharers.first;
  const int begin = T::kTileFours * mine / sharers.count, end = T::kTileFours * (mine + 1) / sharers.count;
  const float4* const first = PartOf<T>(t, sharers.first, tile);
  const TilePlace place = TileAt(TileOrder::kGroups, tile, t.plan.rows, t.plan.columns);
  if (threadIdx.x == 0) {
    int there = 0;
    while (there < sharers.count)
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(there) : "l"(t.there + tile) : "memory");
  }
  AwaitSlices<T>();
  if (end - begin > T::kMultiplyingThreads)
    AddFours<T, 8, 2>(t, place, sharers, first, begin, end);
  else
    AddFours<T, 1, 16>(t, place, sharers, first, begin, end);
  AwaitSlices<T>();
  if (threadIdx.x == 0 && atomicAdd(t.there + tile, 1) == 2 * sharers.count - 1) t.there[tile] = 0;  // by the last one
}

// Polls once whether `phase` is over, unless `asks` is false.
__device__ __forceinline__ bool BarrierTryIf(bool asks, SharedAddress barrier, int phase) {
  std::uint32_t over;
  asm volatile(
      "{\n"
      ".reg .pred p, q;\n"
      "setp.ne.u32 q, %3, 0;\n"
      "setp.eq.u32 p, %3, %3;\n"
      "@q mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(over)
      : "r"(barrier), "r"(phase), "r"(static_cast<std::uint32_t>(asks))
      : "memory");
  return over != 0;
}
// One thread of the warp arrives. The warp's threads must have converged.
__device__ __forceinline__ void BarrierArriveOnceIf(bool arrives, SharedAddress barrier) {
  asm volatile(
      "{\n"
      ".reg .pred p, q;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "setp.ne.and.u32 q, %1, 0, p;\n"
      "@q mbarrier.arrive.shared::cta.b64 _, [%0];\n"
      "}" ::"r"(barrier),
      "r"(static_cast<std::uint32_t>(arrives))
      : "memory");
}

// Reads the hardware register each time, because the loop below has no register left.
__device__ __forceinline__ int ThreadAgain() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

// A warp's position in its list of parts. It is in shared memory while the warp multiplies.
struct FedPart {
  int at, end, whole;  // the next shared step and the end of them; the next whole tile
  int tile;            // of this part
  bool is_whole;
  __device__ __forceinline__ void Save(SharedAddress to) const {
    asm volatile("st.shared.v4.s32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(at), "r"(end), "r"(whole),
                 "r"(is_whole ? tile : ~tile)
                 : "memory");
  }
  __device__ __forceinline__ void Load(SharedAddress from) {
    asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(at), "=r"(end), "=r"(whole), "=r"(tile)
                 : "r"(from)
                 : "memory");
    is_whole = tile >= 0;
    tile = is_whole ? tile : ~tile;
  }
};

template <class T>
__device__ __forceinline__ void MultiplyFed(const FedProblem& t, const FedShared<T>& shared) {
  constexpr int kM = T::kThreadM, kN = T::kThreadN;
  constexpr int kNextRow = 4 * T::kLanesM * 4, kNextColumn = 4 * T::kLanesN * 4;  // byte distance to the next four
  const auto slice_of = [](int thread) { return T::kSlices == 1 ? 0 : thread / T::kSliceThreads; };
  SharedAddress a, b, full;
  {
    const int slice = slice_of(ThreadAgain());
    const FedLane<T> lane(ThreadAgain() - slice * T::kSliceThreads);
    a = shared.first + (slice * T::kUnrolled * T::kRow + lane.row) * 4;
    b = shared.first + (slice * T::kUnrolled * T::kRow + T::kB + lane.column) * 4;
    full = shared.Full(0);
  }
  asm volatile("" : "+r"(a), "+r"(b), "+r"(full));  // not computed again at each step
  float of_a[2][kM], of_b[2][kN];
  int phase = 0;
  const auto load = [&](int which, SharedAddress from_a, SharedAddress from_b, int k) {
#pragma unroll
    for (int y = 0; y < kN; y += 4) LoadFour(of_b[which] + y, from_b + k * T::kRow * 4 + y / 4 * kNextColumn);
#pragma unroll
    for (int x = 0; x < kM; x += 4) LoadFour(of_a[which] + x, from_a + k * T::kRow * 4 + x / 4 * kNextRow);
  };
  BarrierWait(full, 0);
  load(0, a, b, 0);
  FedPart part{t.plan.FirstStep(PlannedBlock()), t.plan.FirstStep(PlannedBlock() + 1), t.plan.shared + PlannedBlock(),
               0, false};
#pragma unroll 1
  for (;;) {
    int steps;
    if (part.at < part.end) {
      part.tile = part.at / t.plan.steps;
      steps = min((part.tile + 1) * t.plan.steps, part.end) - part.at;
      part.at += steps;
    } else if (part.whole < t.plan.Tiles()) {
      part.tile = part.whole;
      steps = t.plan.steps;
      part.whole += t.plan.blocks;
    } else {
      break;
    }
    part.is_whole = steps == t.plan.steps;
    part.Save(shared.Stash(ThreadAgain() / 32));
    TmaSums sums;
#pragma unroll
    for (int i = 0; i < T::kFours; ++i) {
      float four[4];
      LoadFour(four, shared.Zero());
      float* const s = &sums[i * 4 / kN][i * 4 % kN];
      s[1] = four[0], s[0] = four[1], s[3] = four[2], s[2] = four[3];
    }
#pragma unroll 1
    for (int turns = steps * T::kTurns; turns > 0; --turns) {
      const bool leaves = T::kTurns == 1 || turns % T::kTurns == 1;  // the buffer
      SharedAddress next_a = a, next_b = b, next_full = full;
      bool there = true;
#pragma unroll
      for (int k = 0; k < T::kUnrolled; ++k) {
        if (k == T::kUnrolled - 4) {  // polled early, so that the answer is there when needed
          const bool last = leaves && full == shared.Full(T::kBuffers - 1);
          const int further = last ? T::kTurnBytes - T::kBuffers * T::kBufferBytes : T::kTurnBytes;
          next_a += further;
          next_b += further;
          next_full += last ? -8 * (T::kBuffers - 1) : leaves ? 8 : 0;
          phase ^= last;
          there = BarrierTryIf(leaves, next_full, phase);
        }
        if (k == T::kUnrolled - 1) {
          if (!there) BarrierWait(next_full, phase);
          __syncwarp();
          BarrierArriveOnceIf(leaves, full + 8 * T::kBuffers);  // the whole buffer is in registers
        }
        if (k + 1 < T::kUnrolled)
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
    part.Load(shared.Stash(ThreadAgain() / 32));
    if constexpr (T::kSlices == 1) {
      FinishFed<T, 0, T::kFours>(t, sums, part.tile, ThreadAgain(), part.is_whole);
    } else {
      const SharedAddress swapped = shared.first + T::kBuffers * T::kBufferBytes;
      const int thread = ThreadAgain() % T::kSliceThreads;
      if (slice_of(ThreadAgain()) == 0) {
        SwapHalves<T, 0, T::kFours / 2, T::kFours / 2>(swapped, sums, thread);
        FinishFed<T, 0, T::kFours / 2>(t, sums, part.tile, thread, part.is_whole);
      } else {
        SwapHalves<T, T::kFours / 2, T::kFours, 0>(swapped, sums, thread);
        FinishFed<T, T::kFours / 2, T::kFours>(t, sums, part.tile, thread, part.is_whole);
      }
    }
    if (!part.is_whole) {
      __threadfence();
      AwaitSlices<T>();
      if (ThreadAgain() == 0)
        asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(t.there + part.tile) : "memory");
    }
  }
  const int begin = t.plan.FirstStep(PlannedBlock()), end = t.plan.FirstStep(PlannedBlock() + 1);
  if (begin == end) return;
  const int first = begin / t.plan.steps, last = (end - 1) / t.plan.steps;
  if (SharersOf(t.plan, first).count > 1) AddShare<T>(t, first);
  if (last != first && SharersOf(t.plan, last).count > 1) AddShare<T>(t, last);
}

template <class T>
__device__ __forceinline__ void FedGemm(const FedProblem& t) {
  extern __shared__ __align__(128) unsigned char fed_gemm_shared[];
  const FedShared<T> shared{SharedAddressOf(fed_gemm_shared)};
  if (threadIdx.x == 0) {
    asm volatile("st.shared.v4.f32 [%0], {%1, %1, %1, %1};" ::"r"(shared.Zero()), "f"(0.0f) : "memory");
    for (int i = 0; i < T::kBuffers; ++i) {
      BarrierInit(shared.Full(i), T::kCopyingThreads);
      BarrierInit(shared.Empty(i), T::kSliceWarps * T::kSlices);
    }
  }
  __syncthreads();
  if (threadIdx.x >= T::kMultiplyingThreads) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(T::kCopyingRegisters));
    if (t.four_b)
      FeedTiles<T, true>(t, shared);
    else
      FeedTiles<T, false>(t, shared);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(T::kMultiplyingRegisters));
    MultiplyFed<T>(t, shared);
  }
}

inline LadderFactors FedFactors() {
  LadderFactors f = TmaFactors();
  f.copy_mapping = "cp.async, by a warpgroup of its own, 8 k of 4 rows at once";
  f.load_width = "B and C 128 bit, A 32 bit";
  f.a_tile_layout = "transposed, rows padded by 4 floats";
  f.global_prefetch = "cp.async, six tiles ahead";
  f.bounds_checks = "tiles at the edge, stores";
  return f;
}

template <class T>
std::vector<SharedAccess> FedAccesses() {
  const SharedArray a{"A", T::kRow}, b{"B", T::kRow};
  return {
      WarpAccess("store A", a, SharedOp::kStore, 1, [](int t) { return FedCopies<T, true>(0, t).StoreA(); }),
      WarpAccess("store B", b, SharedOp::kStore, 4, [](int t) { return FedCopies<T, true>(0, t).StoreB() - T::kB; }),
      WarpAccess("load A", a, SharedOp::kLoad, 4, [](int t) { return FedLane<T>(t).row; }),
      WarpAccess("load B", b, SharedOp::kLoad, 4, [](int t) { return FedLane<T>(t).column; })};
}

inline constexpr int kLeastFedSteps = 4;
template <class T>
TilePlan PlanFed(const GemmShape& s, int blocks) {
  return PlanTiles(static_cast<int>(Tiles(s.m, T::kM)), static_cast<int>(Tiles(s.n, T::kN)),
                   static_cast<int>(Tiles(s.k, T::kK)), blocks, kLeastFedSteps);
}

template <class T>
LaunchConfig FedConfig(const GemmShape& s) {
  return {dim3(static_cast<unsigned>(PlanFed<T>(s, Multiprocessors()).blocks)), dim3(T::kThreads), T::kSharedBytes};
}

template <class T>
void LaunchFed(const char* stage, const void* kernel, const GemmProblem& p, cudaStream_t stream) {
  const TilePlan plan = PlanFed<T>(p.shape, Multiprocessors());
  const auto fours = [&](const float* x) {
    return p.shape.n % 4 == 0 && reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  };
  FedProblem problem{p, plan, fours(p.b), fours(p.c), nullptr, nullptr};
  void* arguments[] = {&problem};
  if (plan.shared == 0) {
    EnqueueWithArguments(stage, kernel, FedConfig<T>(p.shape), arguments, stream);
    return;
  }
  const StreamMemory parts(stage, static_cast<std::size_t>(plan.blocks) * 2 * T::kTileFours * 16, stream);
  problem.parts = parts.At<float4>(0);
  problem.there = CountersOf(stage, plan.shared, stream);
  EnqueueWithArguments(stage, kernel, FedConfig<T>(p.shape), arguments, stream);
}

}  // namespace culprit
