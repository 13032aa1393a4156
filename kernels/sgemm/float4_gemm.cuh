// SPDX-License-Identifier: Apache-2.0
// The common source of sgemm_float4, sgemm_padded, sgemm_quadrants and sgemm_zorder, so that they differ only in the
// factor that their .cu files name. Stages with two buffers use parts of it. `Tile` is a TransposedTile. Pointers must
// be aligned to 16 bytes, as cudaMalloc's are.
#pragma once
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/transposed_tile.h"

namespace culprit {

__device__ __forceinline__ float4& AsFloat4(float& first) { return reinterpret_cast<float4&>(first); }
__device__ __forceinline__ const float4& AsFloat4(const float& first) { return reinterpret_cast<const float4&>(first); }

// The start of this thread's float4 of A and B for k = 0 and round 0.
template <class Tile>
__device__ __forceinline__ const float* CopyFromA(const GemmProblem& p, int thread) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * Tile::kTileM + Tile::ARow(thread, 0);
  return p.a + row * p.shape.k + Tile::AColumn(thread);
}
template <class Tile>
__device__ __forceinline__ const float* CopyFromB(const GemmProblem& p, int thread) {
  return p.b + static_cast<std::int64_t>(Tile::BRow(thread, 0)) * p.shape.n + blockIdx.x * Tile::kTileN +
         Tile::BColumn(thread);
}

template <class Tile>
__device__ __forceinline__ void StoreTransposed(float* a_tile, const float4& four, int thread, int round) {
  a_tile[Tile::StoreA(thread, round, 0)] = four.x;
  a_tile[Tile::StoreA(thread, round, 1)] = four.y;
  a_tile[Tile::StoreA(thread, round, 2)] = four.z;
  a_tile[Tile::StoreA(thread, round, 3)] = four.w;
}

// `a_from` and `b_from` are this thread's LoadA and LoadB for i = 0. Add constants to them instead of computing each
// address from the thread: otherwise cicc of CUDA 13.0 sometimes splits a float4 and loads one float again, and the
// shared loads do not match the tiling.
template <class Tile>
__device__ __forceinline__ void LoadFragments(const float* a_from, const float* b_from, int i,
                                              float (&a_fragment)[Tile::kThreadM],
                                              float (&b_fragment)[Tile::kThreadN]) {
#pragma unroll
  for (int r = 0; r < Tile::kThreadM; r += 4) AsFloat4(a_fragment[r]) = AsFloat4(a_from[Tile::StepA(i, r)]);
#pragma unroll
  for (int c = 0; c < Tile::kThreadN; c += 4) AsFloat4(b_fragment[c]) = AsFloat4(b_from[Tile::StepB(i, c)]);
}

template <int kThreadM, int kThreadN>
__device__ __forceinline__ void AddOuterProduct(const float (&a_fragment)[kThreadM],
                                                const float (&b_fragment)[kThreadN], float (&sum)[kThreadM][kThreadN]) {
#pragma unroll
  for (int r = 0; r < kThreadM; ++r) {
#pragma unroll
    for (int c = 0; c < kThreadN; ++c) sum[r][c] += a_fragment[r] * b_fragment[c];
  }
}

template <class Tile>
__device__ __forceinline__ void MultiplyTile(const float* a_tile, const float* b_tile, int thread,
                                             float (&sum)[Tile::kThreadM][Tile::kThreadN]) {
  const float* const a_from = &a_tile[Tile::LoadA(thread, 0, 0)];
  const float* const b_from = &b_tile[Tile::LoadB(thread, 0, 0)];
  float a_fragment[Tile::kThreadM], b_fragment[Tile::kThreadN];
#pragma unroll
  for (int i = 0; i < Tile::kTileK; ++i) {
    LoadFragments<Tile>(a_from, b_from, i, a_fragment, b_fragment);
    AddOuterProduct(a_fragment, b_fragment, sum);
  }
}

template <class Tile>
__device__ __forceinline__ void StoreResults(const GemmProblem& p, int thread,
                                             const float (&sum)[Tile::kThreadM][Tile::kThreadN]) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * Tile::kTileM + Tile::Lanes::Row(thread);
  float* c = p.c + row * p.shape.n + blockIdx.x * Tile::kTileN + Tile::Lanes::Column(thread);
#pragma unroll
  for (int r = 0; r < Tile::kThreadM; ++r) {
    float* c_row = c + static_cast<std::int64_t>(Tile::Step(r)) * p.shape.n;
#pragma unroll
    for (int j = 0; j < Tile::kThreadN; j += 4) StoreFour(&c_row[Tile::Step(j)], p.alpha, &sum[r][j], p.beta);
  }
}

// One buffer per tile, so two barriers per tile.
template <class Tile>
__device__ __forceinline__ void Float4Gemm(const GemmProblem& p) {
  static_assert(Tile::kRounds == 1, "one float4 of A and one of B a thread");
  __shared__ __align__(16) float a_tile[Tile::kAFloats];  // transposed: (k, m)
  __shared__ __align__(16) float b_tile[Tile::kBFloats];  // (k, n)
  const int n = p.shape.n, k = p.shape.k;
  const int thread = threadIdx.y * Tile::kThreadsX + threadIdx.x;
  const float* a = CopyFromA<Tile>(p, thread);
  const float* b = CopyFromB<Tile>(p, thread);
  float sum[Tile::kThreadM][Tile::kThreadN] = {};
  for (int k0 = 0; k0 < k; k0 += Tile::kTileK) {
    StoreTransposed<Tile>(a_tile, AsFloat4(a[k0]), thread, 0);
    AsFloat4(b_tile[Tile::StoreB(thread, 0)]) = AsFloat4(b[static_cast<std::int64_t>(k0) * n]);
    __syncthreads();
    MultiplyTile<Tile>(a_tile, b_tile, thread, sum);
    __syncthreads();  // the next iteration overwrites both tiles
  }
  StoreResults<Tile>(p, thread, sum);
}

template <class Tile>
LaunchConfig TransposedTileConfig(const GemmShape& s) {
  return {dim3(Tiles(s.n, Tile::kTileN), Tiles(s.m, Tile::kTileM)), dim3(Tile::kThreadsX, Tile::kThreadsY), 0};
}

template <class Tile>
constexpr ShapeConstraint kTransposedTileShapes{Tile::kTileM, Tile::kTileN, Tile::kTileK};

}  // namespace culprit
