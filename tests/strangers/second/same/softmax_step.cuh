// SPDX-License-Identifier: Apache-2.0
// What a tile of scores does to the rows that a lane has of a softmax.
#pragma once

__device__ __forceinline__ float QuadMax(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}

__device__ __forceinline__ float QuadSum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

template <int kScoreTiles, int kSumTiles>
struct RunningSoftmax {
  float largest[2] = {-INFINITY, -INFINITY};
  float weight[2] = {0, 0};

  // Scores become weights, and sums are corrected.
  __device__ __forceinline__ void Take(float (&s)[kScoreTiles][4], float (&o)[kSumTiles][4], float scale) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int left = 2 * half, right = left + 1;
      float maximum = s[0][left];
#pragma unroll
      for (int j = 0; j < kScoreTiles; ++j) maximum = fmaxf(maximum, fmaxf(s[j][left], s[j][right]));
      maximum = fmaxf(QuadMax(maximum) * scale, largest[half]);
      const float shrink = exp2f(largest[half] - maximum);
#pragma unroll
      for (int j = 0; j < kSumTiles; ++j) {
        o[j][left] *= shrink;
        o[j][right] *= shrink;
      }
      weight[half] *= shrink;
      largest[half] = maximum;
#pragma unroll
      for (int j = 0; j < kScoreTiles; ++j) {
        s[j][left] = exp2f(s[j][left] * scale - maximum);
        s[j][right] = exp2f(s[j][right] * scale - maximum);
        weight[half] += s[j][left] + s[j][right];
      }
    }
  }

  __device__ __forceinline__ float Inverse(int half) const { return 1.0f / QuadSum(weight[half]); }
};
