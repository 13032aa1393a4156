// SPDX-License-Identifier: Apache-2.0
// The common source of sgemm_async and its descendants, so that they differ only in the factors that their .cu files
// name. `Tile` is a MultistageTile. Takes any size and pointers aligned to their elements: copies B and stores C four
// floats at a time where n and the pointers allow it, else one by one.
#pragma once
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/multistage_tile.h"

namespace culprit {

// cp.async needs sm_80. Stages that use it say so in Stage::device; their kernels are empty on earlier GPUs.
template <int kBytes>
__device__ __forceinline__ void CopyAsync(std::uint32_t to, const float* from, bool inside) {
#if __CUDA_ARCH__ >= 800
  const int bytes = inside ? kBytes : 0;  // the rest is filled with 0
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes));
  }
#endif
}
template <int kBytes>
__device__ __forceinline__ void CopyAsync(std::uint32_t to, const float* from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
  }
#endif
}
__device__ __forceinline__ void CommitCopies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;");
#endif
}
// Waits until at most kPending groups of this thread's copies are in flight.
template <int kPending>
__device__ __forceinline__ void WaitForCopies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending));
#endif
}

// The tile of C and the range of k that a block computes.
struct TileWork {
  int row = 0, column = 0;  // of the tile's first element
  int k_begin = 0, k_end = 0;
};

// Copies one tile after another into the buffers in turn. The first tile holds the rest of k that fills no whole tile,
// padded with 0, so the others need no bounds check in k. Rows and columns past the edge read from inside, and their
// results are not stored.
template <class Tile>
class TileCopies {
 public:
  __device__ __forceinline__ TileCopies(const GemmProblem& p, const TileWork& work, const float* shared, int thread)
      : n_(p.shape.n),
        wide_((p.shape.n & 3) == 0 && (reinterpret_cast<std::uintptr_t>(p.b) & 15) == 0),
        k_left_(work.k_end - work.k_begin),
        thread_(thread) {
    const int row = work.row + Tile::ARow(thread);
    const int first = min(row, p.shape.m - 1);
    a_ = p.a + static_cast<std::int64_t>(first) * p.shape.k + work.k_begin + Tile::AColumn(thread);
#pragma unroll
    for (int i = 0; i < Tile::kARounds; ++i)
      a_rows_[i] = static_cast<std::int64_t>(min(row + i * Tile::kARowsAtOnce, p.shape.m - 1) - first) * p.shape.k;
    b_ = p.b + static_cast<std::int64_t>(work.k_begin) * n_;
    b_column_ = work.column;
    const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    a_to_ = base + 4 * Tile::StoreA(thread, 0, 0);
    b_to_ = base + 4 * Tile::kAFloats;
  }

  __device__ __forceinline__ int Tiles() const { return (k_left_ + Tile::kTileK - 1) / Tile::kTileK; }

  __device__ __forceinline__ void First() {
    const int rest = k_left_ % Tile::kTileK, depth = rest == 0 ? min(k_left_, Tile::kTileK) : rest;
    Copy<true>(0, depth);
    a_ += depth;
    b_ += static_cast<std::int64_t>(depth) * n_;
  }
  __device__ __forceinline__ void Next(int buffer) {
    Copy<false>(buffer, Tile::kTileK);
    a_ += Tile::kTileK;
    b_ += static_cast<std::int64_t>(Tile::kTileK) * n_;
  }

 private:
  template <bool kChecked>
  __device__ __forceinline__ void Copy(int buffer, int depth) {
    const std::uint32_t offset = 4 * Tile::kFloats * buffer;
#pragma unroll
    for (int i = 0; i < Tile::kARounds; ++i) {
      const float* const from = a_ + a_rows_[i];
#pragma unroll
      for (int j = 0; j < Tile::kAColumns; ++j) {
        const std::uint32_t to = a_to_ + offset + 4 * (Tile::StoreA(0, i, j) - Tile::StoreA(0, 0, 0));
        if constexpr (kChecked) {
          const bool inside = Tile::AColumn(thread_) + 8 * j < depth;
          CopyAsync<4>(to, from + (inside ? 8 * j : -Tile::AColumn(thread_)), inside);
        } else {
          CopyAsync<4>(to, from + 8 * j);
        }
      }
    }
    if (wide_) {
      CopyRows<4, kChecked>(b_to_ + offset, depth);
    } else {
      CopyRows<1, kChecked>(b_to_ + offset, depth);
    }
  }

  template <int kWide, bool kChecked>
  __device__ __forceinline__ void CopyRows(std::uint32_t to, int depth) const {
    using B = typename Tile::template CopyB<kWide>;
    const std::uint32_t mine = to + 4 * B::Store(thread_, 0);
#pragma unroll
    for (int i = 0; i < B::kRounds; ++i) {
      const int row = B::Row(thread_) + B::NextRow(i);
      const int column = min(b_column_ + B::Column(thread_) + B::NextColumn(i), n_ - kWide);
      const std::uint32_t there = mine + 4 * (B::Store(0, i) - B::Store(0, 0));
      if constexpr (kChecked) {
        const bool inside = row < depth;
        CopyAsync<4 * kWide>(there, b_ + static_cast<std::int64_t>(inside ? row : 0) * n_ + column, inside);
      } else {
        CopyAsync<4 * kWide>(there, b_ + static_cast<std::int64_t>(row) * n_ + column);
      }
    }
  }

  const float *a_, *b_;  // in the next tile: this thread's first float of A, and of B in its first row
  std::int64_t a_rows_[Tile::kARounds];
  int n_, b_column_;
  bool wide_;
  int k_left_, thread_;
  std::uint32_t a_to_, b_to_;
};

template <class Tile>
struct Fragments {
  float a[Tile::kThreadM], b[Tile::kThreadN];
  // `a_from` and `b_from` are this thread's addresses for k = 0 of the tile.
  __device__ __forceinline__ void Load(const float* a_from, const float* b_from, int k) {
#pragma unroll
    for (int r = 0; r < Tile::kThreadM; r += 4)
      *reinterpret_cast<float4*>(&a[r]) = *reinterpret_cast<const float4*>(a_from + k * Tile::kARow + Tile::StepM(r));
#pragma unroll
    for (int c = 0; c < Tile::kThreadN; c += 4)
      *reinterpret_cast<float4*>(&b[c]) = *reinterpret_cast<const float4*>(b_from + k * Tile::kBRow + Tile::StepN(c));
  }
};

template <class Tile>
__device__ __forceinline__ void AddOuterProduct(const Fragments<Tile>& f,
                                                float (&sum)[Tile::kThreadM][Tile::kThreadN]) {
  constexpr int m = Tile::kThreadM, n = Tile::kThreadN;
#pragma unroll
  for (int i = 0; i < m * n; ++i) {
    int r = i / n, c = i % n;
    if (Tile::kWalk == Walk::kSnakeN) {
      if (r % 2 == 1) c = n - 1 - c;
    } else if (Tile::kWalk == Walk::kSnakeM) {
      c = i / m;
      r = c % 2 == 1 ? m - 1 - i % m : i % m;
    } else if (Tile::kWalk == Walk::kSnakeTwo) {
      const int pair = i / (2 * n), in = i % (2 * n);
      c = pair % 2 == 1 ? n - 1 - in / 2 : in / 2;
      r = 2 * pair + (in % 2 == (in / 2) % 2 ? 0 : 1);
    }
    sum[r][c] = fmaf(f.a[r], f.b[c], sum[r][c]);
  }
}

// This block's part of A times B. `shared` holds kBuffers buffers. On return no copy is in flight.
template <class Tile>
__device__ __forceinline__ void Multiply(const GemmProblem& p, const TileWork& work, float* shared,
                                         float (&sum)[Tile::kThreadM][Tile::kThreadN]) {
  const int thread = threadIdx.x;
  TileCopies<Tile> copies(p, work, shared, thread);
  const int tiles = copies.Tiles();
#pragma unroll
  for (int r = 0; r < Tile::kThreadM; ++r) {
#pragma unroll
    for (int c = 0; c < Tile::kThreadN; ++c) sum[r][c] = 0;
  }
  if (tiles == 0) return;
  copies.First();
  CommitCopies();
#pragma unroll
  for (int i = 1; i < Tile::kBuffers - 1; ++i) {
    if (i < tiles) copies.Next(i);
    CommitCopies();
  }
  WaitForCopies<Tile::kBuffers - 2>();
  __syncthreads();
  const float* const a_first = shared + Tile::Row(thread);
  const float* const b_first = shared + Tile::kAFloats + Tile::Column(thread);
  Fragments<Tile> fragments[2];
  fragments[0].Load(a_first, b_first, 0);
  int reading = 0, writing = Tile::kBuffers - 1;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    const float* a = a_first + reading * Tile::kFloats;
    const float* b = b_first + reading * Tile::kFloats;
    if (tile + Tile::kBuffers - 1 < tiles) copies.Next(writing);
    CommitCopies();  // also an empty group, so that the number of groups tells which tile has arrived
    writing = writing + 1 == Tile::kBuffers ? 0 : writing + 1;
    reading = reading + 1 == Tile::kBuffers ? 0 : reading + 1;
#pragma unroll
    for (int k = 0; k < Tile::kTileK; ++k) {
      if (k == Tile::kTileK - 1) {
        WaitForCopies<Tile::kBuffers - 2>();
        __syncthreads();  // the next tile has arrived, and all threads have read this one
        a = a_first + reading * Tile::kFloats;
        b = b_first + reading * Tile::kFloats;
      }
      fragments[(k + 1) % 2].Load(a, b, (k + 1) % Tile::kTileK);  // reads past the last tile, but does not use it
      AddOuterProduct<Tile>(fragments[k % 2], sum);
    }
  }
  WaitForCopies<0>();
}

template <class Tile>
__device__ __forceinline__ void StoreResults(const GemmProblem& p, const TileWork& work,
                                             const float (&sum)[Tile::kThreadM][Tile::kThreadN]) {
  const int row = work.row + Tile::Row(threadIdx.x), column = work.column + Tile::Column(threadIdx.x);
  const bool wide = (p.shape.n & 3) == 0 && (reinterpret_cast<std::uintptr_t>(p.c) & 15) == 0;
#pragma unroll
  for (int r = 0; r < Tile::kThreadM; ++r) {
    if (row + Tile::StepM(r) >= p.shape.m) continue;
    float* const c_row = p.c + static_cast<std::int64_t>(row + Tile::StepM(r)) * p.shape.n;
#pragma unroll
    for (int c = 0; c < Tile::kThreadN; c += 4) {
      const int at = column + Tile::StepN(c);
      if (wide) {
        if (at < p.shape.n) StoreFour(&c_row[at], p.alpha, &sum[r][c], p.beta);
      } else {
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (at + i < p.shape.n) StoreElement(&c_row[at + i], p.alpha, sum[r][c + i], p.beta);
      }
    }
  }
}

// One block per tile of C, x along n.
template <class Tile>
__device__ __forceinline__ TileWork TileOfBlock(const GemmProblem& p) {
  return {static_cast<int>(blockIdx.y) * Tile::kTileM, static_cast<int>(blockIdx.x) * Tile::kTileN, 0, p.shape.k};
}

extern __shared__ __align__(16) float multistage_shared[];

template <class Tile>
__device__ __forceinline__ void MultistageGemm(const GemmProblem& p, const TileWork& work) {
#if __CUDA_ARCH__ >= 800
  float sum[Tile::kThreadM][Tile::kThreadN];
  Multiply<Tile>(p, work, multistage_shared, sum);
  StoreResults<Tile>(p, work, sum);
#endif
}

template <class Tile>
LaunchConfig MultistageConfig(const GemmShape& s) {
  return {dim3(Tiles(s.n, Tile::kTileN), Tiles(s.m, Tile::kTileM)), dim3(Tile::kThreads), Tile::kSharedBytes};
}

}  // namespace culprit
