// SPDX-License-Identifier: Apache-2.0
// The common source of the V-study, so that neighbours differ only in the one factor that their .cu files name.
// 128x128x8 tiles, 256 threads, 8x8 results per thread.
//
// The including file defines CULPRIT_V_STUDY_UNROLL, which precedes every inner loop: _Pragma("unroll") or nothing.
// Nothing lets the compiler choose (`#pragma unroll 1` would forbid it, another experiment). A pragma cannot depend on
// a template parameter, hence the macro and the unnamed namespace: each file gets its own copy.
//
// CULPRIT_V_STUDY_UNROLL_J precedes only the j loop of m->n->k. It is the same unless a file defines it otherwise.
#pragma once
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/v_study_map.h"
#include "kernels/sgemm/v_study_stage.h"

#ifndef CULPRIT_V_STUDY_UNROLL_J
#define CULPRIT_V_STUDY_UNROLL_J CULPRIT_V_STUDY_UNROLL
#endif

namespace culprit {
namespace {

using namespace v_study;

// How a thread moves its share of a tile, 4 floats of A and 4 of B, from global to shared memory.
enum class Move {
  kFloat4,        // one 16-byte access
  kFourFloats,    // 4 neighbouring floats, one at a time
  kSingleFloats,  // the block moves 256 neighbouring floats per round, in 4 rounds
};

enum class Nest { kKMN, kMNK };

// Layout of the tiles in shared memory: `Float` is float or volatile float; kPadding floats follow each row.
template <class Float = float, int kPadding = 0>
struct SharedTiles {
  using A = Float[kTileM][kTileK + kPadding];
  using B = Float[kTileK][kTileN + kPadding];
};

// The place of a thread's 64 sums, if the compiler complies.
struct InRegisters {
  float r_c[kThreadM][kThreadN] = {};
  __device__ __forceinline__ float& operator()(int i, int j) { return r_c[i][j]; }
};

// The study's `__shared__ float r_c[8][8]`, for every thread of the block: 64 rows of 256 floats. A warp accesses 32
// neighbours of one row, so there are no bank conflicts. It takes 64 KB, hence dynamic.
struct InShared {
  float* mine;
  __device__ __forceinline__ InShared(float* rows, int thread) : mine(rows + SumInShared(thread, 0, 0)) {
    for (int i = 0; i < kThreadM * kThreadN; ++i) mine[i * kThreads] = 0.0f;
  }
  __device__ __forceinline__ float& operator()(int i, int j) { return mine[SumInShared(0, i, j)]; }
};
constexpr std::size_t kInSharedBytes = sizeof(float) * kThreadM * kThreadN * kThreads;

template <class Shared, Move kMove>
__device__ __forceinline__ void LoadTiles(const GemmProblem& p, int k0, int thread, typename Shared::A& a_tile,
                                          typename Shared::B& b_tile) {
  const int n = p.shape.n, k = p.shape.k;
  const float* a = p.a + static_cast<std::int64_t>(blockIdx.y) * kTileM * k + k0;
  const float* b = p.b + static_cast<std::int64_t>(k0) * n + blockIdx.x * kTileN;
  if constexpr (kMove == Move::kSingleFloats) {
    CULPRIT_V_STUDY_UNROLL
    for (int i = 0; i < kTileM * kTileK / kThreads; ++i) {
      const Place at = SingleFloat(thread, i, kTileK);
      a_tile[at.row][at.column] = a[static_cast<std::int64_t>(at.row) * k + at.column];
    }
    CULPRIT_V_STUDY_UNROLL
    for (int i = 0; i < kTileK * kTileN / kThreads; ++i) {
      const Place at = SingleFloat(thread, i, kTileN);
      b_tile[at.row][at.column] = b[static_cast<std::int64_t>(at.row) * n + at.column];
    }
  } else {
    const Place at_a = FirstOfFour(thread, kTileK), at_b = FirstOfFour(thread, kTileN);
    const float* a_from = a + static_cast<std::int64_t>(at_a.row) * k + at_a.column;
    const float* b_from = b + static_cast<std::int64_t>(at_b.row) * n + at_b.column;
    auto* a_to = &a_tile[at_a.row][at_a.column];
    auto* b_to = &b_tile[at_b.row][at_b.column];
    if constexpr (kMove == Move::kFloat4) {
      *reinterpret_cast<float4*>(a_to) = *reinterpret_cast<const float4*>(a_from);
      *reinterpret_cast<float4*>(b_to) = *reinterpret_cast<const float4*>(b_from);
    } else {
      CULPRIT_V_STUDY_UNROLL
      for (int i = 0; i < 4; ++i) a_to[i] = a_from[i];
      CULPRIT_V_STUDY_UNROLL
      for (int i = 0; i < 4; ++i) b_to[i] = b_from[i];
    }
  }
}

template <class Shared, Nest kNest, class Accumulators>
__device__ __forceinline__ void MultiplyTiles(const typename Shared::A& a_tile, const typename Shared::B& b_tile,
                                              Accumulators& r_c) {
  const int row = FirstRow(threadIdx.y), column = FirstColumn(threadIdx.x);
  if constexpr (kNest == Nest::kKMN) {
    CULPRIT_V_STUDY_UNROLL
    for (int k = 0; k < kTileK; ++k) {
      CULPRIT_V_STUDY_UNROLL
      for (int i = 0; i < kThreadM; ++i) {
        CULPRIT_V_STUDY_UNROLL
        for (int j = 0; j < kThreadN; ++j) r_c(i, j) += a_tile[row + i][k] * b_tile[k][column + j];
      }
    }
  } else {
    CULPRIT_V_STUDY_UNROLL
    for (int i = 0; i < kThreadM; ++i) {
      CULPRIT_V_STUDY_UNROLL_J
      for (int j = 0; j < kThreadN; ++j) {
        CULPRIT_V_STUDY_UNROLL
        for (int k = 0; k < kTileK; ++k) r_c(i, j) += a_tile[row + i][k] * b_tile[k][column + j];
      }
    }
  }
}

template <Move kMove, Nest kNest, class Shared = SharedTiles<>, class Accumulators>
__device__ __forceinline__ void VStudy(const GemmProblem& p, Accumulators r_c) {
  __shared__ __align__(16) typename Shared::A a_tile;
  __shared__ __align__(16) typename Shared::B b_tile;
  const int thread = threadIdx.y * kThreadsX + threadIdx.x;
  for (int k0 = 0; k0 < p.shape.k; k0 += kTileK) {
    LoadTiles<Shared, kMove>(p, k0, thread, a_tile, b_tile);
    __syncthreads();
    MultiplyTiles<Shared, kNest>(a_tile, b_tile, r_c);
    __syncthreads();  // the next iteration overwrites both tiles
  }
  const int column = blockIdx.x * kTileN + FirstColumn(threadIdx.x);
  CULPRIT_V_STUDY_UNROLL
  for (int i = 0; i < kThreadM; ++i) {
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kTileM + FirstRow(threadIdx.y) + i;
    CULPRIT_V_STUDY_UNROLL
    for (int j = 0; j < kThreadN; ++j) StoreElement(&p.c[row * p.shape.n + column + j], p.alpha, r_c(i, j), p.beta);
  }
}

}  // namespace
}  // namespace culprit
