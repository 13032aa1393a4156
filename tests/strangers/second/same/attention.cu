// SPDX-License-Identifier: Apache-2.0
// Attention without its matrix of scores in memory: a block has 64 queries, walks along the keys in tiles of 64 and
// corrects what it has whenever a larger score comes.
#include <cmath>

#include "job.h"
#include "mma.cuh"
#include "softmax_step.cuh"

namespace {
constexpr int kHeads = 64, kLength = 1024, kHeadSize = 64, kThreads = 128, kTile = 64;

// A tile of keys or values, or of queries.
template <int kWidth>
struct Rows {
  static constexpr int kPitch = kWidth + 8;
  __half row[kTile][kPitch];

  __device__ void Fetch(const __half* from) {
    constexpr int kPieces = kWidth / 8;
#pragma unroll
    for (int piece = threadIdx.x; piece < kTile * kPieces; piece += kThreads)
      mma::Copy16(&row[piece / kPieces][piece % kPieces * 8], from + piece * 8);
  }
};
}  // namespace

template <int kWidth>
__global__ void __launch_bounds__(kThreads)
    attention_forward(const __half* __restrict__ queries, const __half* __restrict__ keys,
                      const __half* __restrict__ values, __half* __restrict__ out, int length, float scale) {
  __shared__ Rows<kWidth> q, k[2], v[2];
  const int lane = threadIdx.x % 32, row0 = threadIdx.x / 32 * 16;
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * length * kWidth;
  const int steps = length / kTile;

  q.Fetch(queries + head + static_cast<std::size_t>(blockIdx.x) * kTile * kWidth);
  k[0].Fetch(keys + head);
  v[0].Fetch(values + head);
  mma::EndCopies();

  float context[kWidth / 8][4] = {};
  RunningSoftmax<kTile / 8, kWidth / 8> softmax;
  for (int tile = 0; tile < steps; ++tile) {
    const int current = tile % 2;
    if (tile + 1 < steps) {
      k[1 - current].Fetch(keys + head + static_cast<std::size_t>(tile + 1) * kTile * kWidth);
      v[1 - current].Fetch(values + head + static_cast<std::size_t>(tile + 1) * kTile * kWidth);
    }
    mma::EndCopies();
    mma::WaitForCopies<1>();
    __syncthreads();

    float logits[kTile / 8][4] = {};
#pragma unroll
    for (int d = 0; d < kWidth / 16; ++d) {
      std::uint32_t a[4];
      mma::Load4(a, &q.row[row0 + lane % 16][d * 16 + lane / 16 * 8]);
#pragma unroll
      for (int n = 0; n < kTile / 16; ++n) {
        std::uint32_t b[4];
        mma::Load4(b, &k[current].row[n * 16 + lane / 16 * 8 + lane % 8][d * 16 + lane / 8 % 2 * 8]);
        mma::MultiplyAdd(logits[2 * n], a, b[0], b[1]);
        mma::MultiplyAdd(logits[2 * n + 1], a, b[2], b[3]);
      }
    }

    softmax.Take(logits, context, scale);

#pragma unroll
    for (int n = 0; n < kTile / 16; ++n) {
      const std::uint32_t a[4] = {
          mma::Pack(logits[2 * n][0], logits[2 * n][1]), mma::Pack(logits[2 * n][2], logits[2 * n][3]),
          mma::Pack(logits[2 * n + 1][0], logits[2 * n + 1][1]), mma::Pack(logits[2 * n + 1][2], logits[2 * n + 1][3])};
#pragma unroll
      for (int d = 0; d < kWidth / 16; ++d) {
        std::uint32_t b[4];
        mma::Load4Transposed(b, &v[current].row[n * 16 + lane % 16][d * 16 + lane / 16 * 8]);
        mma::MultiplyAdd(context[2 * d], a, b[0], b[1]);
        mma::MultiplyAdd(context[2 * d + 1], a, b[2], b[3]);
      }
    }
    __syncthreads();  // the tile has been read
  }

#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const float inverse = softmax.Inverse(row);
    __half* to = out + head + (static_cast<std::size_t>(blockIdx.x) * kTile + row0 + lane / 4 + 8 * row) * kWidth;
#pragma unroll
    for (int d = 0; d < kWidth / 8; ++d)
      *reinterpret_cast<__half2*>(to + d * 8 + lane % 4 * 2) =
          __floats2half2_rn(context[d][2 * row] * inverse, context[d][2 * row + 1] * inverse);
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
