// SPDX-License-Identifier: Apache-2.0
// view_block_v2 and view_block_v3 share this: 128x128x8 tiles, 8x8 results per thread. They differ in the loop over k.
#pragma once
#include <vector>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/matrix.h"

namespace culprit {
namespace {

constexpr int kTileM = 128, kTileN = 128, kTileK = 8;
constexpr int kThreadM = 8, kThreadN = 8;  // results per thread
constexpr int kThreadsX = kTileN / kThreadN, kThreadsY = kTileM / kThreadM;
constexpr int kThreads = kThreadsX * kThreadsY;
constexpr int kEachA = kTileM * kTileK / kThreads, kEachB = kTileK * kTileN / kThreads;  // floats moved per thread

using Sums = float[kThreadM][kThreadN];

// One buffer: the tiles of A (m, k) and B (k, n) for one step of k.
struct TilePair {
  Matrix<float> a, b;
  __device__ __forceinline__ TilePair(float* a_shared, float* b_shared)
      : a(a_shared, kTileM, kTileK), b(b_shared, kTileK, kTileN) {}
};

struct Operands {
  Matrix<const float> a, b;
  __device__ __forceinline__ explicit Operands(const GemmProblem& p)
      : a(p.a, p.shape.m, p.shape.k), b(p.b, p.shape.k, p.shape.n) {}
};

// Each thread moves 4 consecutive elements of each tile.
__device__ __forceinline__ void MoveTiles(const Operands& from, int k0, const TilePair& to) {
  const Matrix<const float> a = from.a.Sub(blockIdx.y * kTileM, k0, kTileM, kTileK);
  const Matrix<const float> b = from.b.Sub(k0, blockIdx.x * kTileN, kTileK, kTileN);
  const int thread = threadIdx.y * kThreadsX + threadIdx.x;
  for (int i = 0; i < kEachA; ++i) to.a(thread * kEachA + i) = a(thread * kEachA + i);
  for (int i = 0; i < kEachB; ++i) to.b(thread * kEachB + i) = b(thread * kEachB + i);
}

// Outer products of a column of A and a row of B. Each operand is read into registers once.
__device__ __forceinline__ void MultiplyTiles(const TilePair& tiles, Sums& sum) {
  const Matrix<const float> a = tiles.a.Sub(threadIdx.y * kThreadM, 0, kThreadM, kTileK);
  const Matrix<const float> b = tiles.b.Sub(0, threadIdx.x * kThreadN, kTileK, kThreadN);
  float a_fragment[kThreadM], b_fragment[kThreadN];
  for (int i = 0; i < kTileK; ++i) {
    for (int r = 0; r < kThreadM; ++r) a_fragment[r] = a(r, i);
    for (int c = 0; c < kThreadN; ++c) b_fragment[c] = b(i, c);
    for (int r = 0; r < kThreadM; ++r) {
      for (int c = 0; c < kThreadN; ++c) sum[r][c] += a_fragment[r] * b_fragment[c];
    }
  }
}

__device__ __forceinline__ void StoreSums(const GemmProblem& p, const Sums& sum) {
  const Matrix<float> c = Matrix<float>(p.c, p.shape.m, p.shape.n)
                              .Sub(blockIdx.y * kTileM, blockIdx.x * kTileN, kTileM, kTileN)
                              .Sub(threadIdx.y * kThreadM, threadIdx.x * kThreadN, kThreadM, kThreadN);
  for (int i = 0; i < kThreadM; ++i) {
    for (int j = 0; j < kThreadN; ++j) StoreElement(&c(i, j), p.alpha, sum[i][j], p.beta);
  }
}

constexpr ShapeConstraint kViewBlockShapes{kTileM, kTileN, kTileK};

LaunchConfig ViewBlockConfig(const GemmShape& s) {
  return {dim3(Tiles(s.n, kTileN), Tiles(s.m, kTileM)), dim3(kThreadsX, kThreadsY), 0};
}

}  // namespace
}  // namespace culprit
