// SPDX-License-Identifier: Apache-2.0
// The source of view_block_v1 and view_block_v1_32, which differ only in tile size.
#pragma once
#include <vector>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/matrix.h"
#include "kernels/shared_access.h"

namespace culprit {
namespace {

// Tiles are kTile in m, n and k, and so is the block: thread i moves element
// i.
template <int kTile>
CULPRIT_HOST_DEVICE constexpr int ThreadOf(int x, int y) {
  return y * kTile + x;
}

template <int kTile>
__device__ __forceinline__ void ViewBlockV1(const GemmProblem& p) {
  __shared__ float a_shared[kTile * kTile], b_shared[kTile * kTile];
  const Matrix<const float> a(p.a, p.shape.m, p.shape.k), b(p.b, p.shape.k, p.shape.n);
  const Matrix<float> c(p.c, p.shape.m, p.shape.n);
  const Matrix<float> a_tile(a_shared, kTile, kTile), b_tile(b_shared, kTile, kTile);
  const int x = threadIdx.x, y = threadIdx.y, thread = ThreadOf<kTile>(x, y);
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  float sum = 0.0f;
  for (int k0 = 0; k0 < a.columns(); k0 += kTile) {
    a_tile(thread) = a.Sub(row0, k0, kTile, kTile)(thread);
    b_tile(thread) = b.Sub(k0, column0, kTile, kTile)(thread);
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += a_tile(y, i) * b_tile(i, x);
    __syncthreads();  // the next iteration overwrites both tiles
  }
  StoreElement(&c.Sub(row0, column0, kTile, kTile)(y, x), p.alpha, sum, p.beta);
}

template <int kTile>
LaunchConfig ViewBlockV1Config(const GemmShape& s) {
  return {dim3(Tiles(s.n, kTile), Tiles(s.m, kTile)), dim3(kTile, kTile), 0};
}

// A thread's loads of A are neighbours in k. If nvcc unrolls the loop, it loads four at once (13.0 on sm_90: all of
// them). This function declares these accesses.
template <int kTile>
std::vector<SharedAccess> ViewBlockV1Accesses() {
  const auto own = [](int thread) { return ThreadOf<kTile>(thread % kTile, thread / kTile); };
  return {WarpAccess("store A", {"A", kTile}, SharedOp::kStore, 1, own),
          WarpAccess("store B", {"B", kTile}, SharedOp::kStore, 1, own),
          WarpAccess("load A", {"A", kTile}, SharedOp::kLoad, 4, [](int thread) { return thread / kTile * kTile; }),
          WarpAccess("load B", {"B", kTile}, SharedOp::kLoad, 1, [](int thread) { return thread % kTile; })};
}

}  // namespace
}  // namespace culprit
