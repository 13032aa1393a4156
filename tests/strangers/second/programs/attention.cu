// SPDX-License-Identifier: Apache-2.0
// Attention without its matrix of scores in memory: a block has 64 queries, walks along the keys in tiles of 64 and
// corrects what it has whenever a larger score comes.
#include <cmath>

#include "job.h"
#include "mma.cuh"

namespace {
constexpr int kHeads = 64, kLength = 1024, kHeadSize = 64, kThreads = 128, kTile = 64;

// A tile of keys or values, or of queries.
template <int kWidth>
struct Rows {
#ifdef CHANGE_A
  static constexpr int kPitch = kWidth;
#else
  static constexpr int kPitch = kWidth + 8;
#endif
  __half row[kTile][kPitch];

  __device__ void Fetch(const __half* from) {
    constexpr int kPieces = kWidth / 8;
#pragma unroll
    for (int piece = threadIdx.x; piece < kTile * kPieces; piece += kThreads)
      mma::Copy16(&row[piece / kPieces][piece % kPieces * 8], from + piece * 8);
  }
};

__device__ __forceinline__ float LargestOfQuad(float value) {
  value = fmaxf(value, __shfl_xor_sync(~0u, value, 1));
  return fmaxf(value, __shfl_xor_sync(~0u, value, 2));
}

__device__ __forceinline__ float SumOfQuad(float value) {
  value += __shfl_xor_sync(~0u, value, 1);
  return value + __shfl_xor_sync(~0u, value, 2);
}
}  // namespace

template <int kWidth>
__global__ void __launch_bounds__(kThreads)
    attention_forward(const __half* __restrict__ queries, const __half* __restrict__ keys,
                      const __half* __restrict__ values, __half* __restrict__ out, int length, float scale) {
  __shared__ Rows<kWidth> q, k[2], v[2];
  const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * 16;
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * length * kWidth;
  const int tiles = length / kTile;

  q.Fetch(queries + head + static_cast<std::size_t>(blockIdx.x) * kTile * kWidth);
#ifndef CHANGE_B
  k[0].Fetch(keys + head);
  v[0].Fetch(values + head);
#endif
  mma::EndCopies();

  float sums[kWidth / 8][4] = {};
  float largest[2] = {-INFINITY, -INFINITY}, total[2] = {0, 0};
  for (int tile = 0; tile < tiles; ++tile) {
    const int now = tile % 2;
#ifdef CHANGE_B
    k[now].Fetch(keys + head + static_cast<std::size_t>(tile) * kTile * kWidth);
    v[now].Fetch(values + head + static_cast<std::size_t>(tile) * kTile * kWidth);
    mma::EndCopies();
    mma::WaitForCopies<0>();
#else
    if (tile + 1 < tiles) {
      k[1 - now].Fetch(keys + head + static_cast<std::size_t>(tile + 1) * kTile * kWidth);
      v[1 - now].Fetch(values + head + static_cast<std::size_t>(tile + 1) * kTile * kWidth);
    }
    mma::EndCopies();
    mma::WaitForCopies<1>();
#endif
    __syncthreads();

    float scores[kTile / 8][4] = {};
#pragma unroll
    for (int d = 0; d < kWidth / 16; ++d) {
      std::uint32_t a[4];
      mma::Load4(a, &q.row[first_row + lane % 16][d * 16 + lane / 16 * 8]);
#pragma unroll
      for (int n = 0; n < kTile / 16; ++n) {
        std::uint32_t b[4];
        mma::Load4(b, &k[now].row[n * 16 + lane / 16 * 8 + lane % 8][d * 16 + lane / 8 % 2 * 8]);
        mma::MultiplyAdd(scores[2 * n], a, b[0], b[1]);
        mma::MultiplyAdd(scores[2 * n + 1], a, b[2], b[3]);
      }
    }

    // A lane has two rows, of each four neighbouring lanes' columns.
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      float top = scores[0][2 * row];
#pragma unroll
      for (int n = 0; n < kTile / 8; ++n) top = fmaxf(top, fmaxf(scores[n][2 * row], scores[n][2 * row + 1]));
      top = fmaxf(LargestOfQuad(top) * scale, largest[row]);
      const float correct = exp2f(largest[row] - top);
      largest[row] = top;
      total[row] *= correct;
#pragma unroll
      for (int d = 0; d < kWidth / 8; ++d) sums[d][2 * row] *= correct, sums[d][2 * row + 1] *= correct;
#pragma unroll
      for (int n = 0; n < kTile / 8; ++n) {
        scores[n][2 * row] = exp2f(scores[n][2 * row] * scale - top);
        scores[n][2 * row + 1] = exp2f(scores[n][2 * row + 1] * scale - top);
        total[row] += scores[n][2 * row] + scores[n][2 * row + 1];
      }
    }

#pragma unroll
    for (int n = 0; n < kTile / 16; ++n) {
      const std::uint32_t a[4] = {
          mma::Pack(scores[2 * n][0], scores[2 * n][1]), mma::Pack(scores[2 * n][2], scores[2 * n][3]),
          mma::Pack(scores[2 * n + 1][0], scores[2 * n + 1][1]), mma::Pack(scores[2 * n + 1][2], scores[2 * n + 1][3])};
#pragma unroll
      for (int d = 0; d < kWidth / 16; ++d) {
        std::uint32_t b[4];
        mma::Load4Transposed(b, &v[now].row[n * 16 + lane % 16][d * 16 + lane / 16 * 8]);
        mma::MultiplyAdd(sums[2 * d], a, b[0], b[1]);
        mma::MultiplyAdd(sums[2 * d + 1], a, b[2], b[3]);
      }
    }
    __syncthreads();  // the tile has been read
  }

#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const float inverse = 1.0f / SumOfQuad(total[row]);
    __half* to = out + head + (static_cast<std::size_t>(blockIdx.x) * kTile + first_row + lane / 4 + 8 * row) * kWidth;
#pragma unroll
    for (int d = 0; d < kWidth / 8; ++d)
      *reinterpret_cast<__half2*>(to + d * 8 + lane % 4 * 2) =
          __floats2half2_rn(sums[d][2 * row] * inverse, sums[d][2 * row + 1] * inverse);
  }
}

std::vector<double> Attention() {
  const std::size_t count = static_cast<std::size_t>(kHeads) * kLength * kHeadSize;
  Numbers numbers(11);
  std::vector<float> pool(65521);
  for (float& value : pool) value = 2 * numbers.Float() - 1;
  std::vector<__half> short_pool(pool.size());
  for (std::size_t i = 0; i < pool.size(); ++i) short_pool[i] = __float2half(pool[i]);
  std::vector<__half> inputs[3];
  for (int which = 0; which < 3; ++which)
    for (std::size_t i = 0; i < count; ++i)
      inputs[which].push_back(short_pool[(i + 20011 * static_cast<std::size_t>(which)) % pool.size()]);
  const __half *q = OnDevice(inputs[0]), *k = OnDevice(inputs[1]), *v = OnDevice(inputs[2]);
  __half* out = OnDevice<__half>(count);
  const dim3 grid(kLength / kTile, kHeads);
  const float scale = 1.44269504f / std::sqrt(static_cast<float>(kHeadSize));
  for (int i = 0; i < kLaunches; ++i) attention_forward<kHeadSize><<<grid, kThreads>>>(q, k, v, out, kLength, scale);
  const std::vector<double> result = FromDevice(out, count);
  if (!results_wanted) return result;
  for (const int row : {0, 1037, 20'000, kHeads * kLength - 1}) {
    const std::size_t head = static_cast<std::size_t>(row / kLength) * kLength * kHeadSize;
    double total = 0, sums[kHeadSize] = {};
    for (int key = 0; key < kLength; ++key) {
      double score = 0;
      for (int d = 0; d < kHeadSize; ++d)
        score += static_cast<double>(__half2float(inputs[0][static_cast<std::size_t>(row) * kHeadSize + d])) *
                 __half2float(inputs[1][head + static_cast<std::size_t>(key) * kHeadSize + d]);
      const double weight = std::exp2(score * scale);
      total += weight;
      for (int d = 0; d < kHeadSize; ++d)
        sums[d] += weight * __half2float(inputs[2][head + static_cast<std::size_t>(key) * kHeadSize + d]);
    }
    for (int d = 0; d < kHeadSize; ++d)
      Hold("attention", result[static_cast<std::size_t>(row) * kHeadSize + d], sums[d] / total, 2e-3);
  }
  return result;
}
