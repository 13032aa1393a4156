// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of rows of 16384, a block of 1024 threads each. A row stays in registers from its mean to the
// result, or is read for the mean, for the variance and for the result.
// Limits on an H100: device memory once in both, 128 KB a row. The two blocks of an SM reserve shared memory, as those
// that hold weights there do, and leave L1 some 30 KB: read three times, the row comes from L2 twice more, 128 KB at
// 25 to 30 bytes a cycle beside 128 KB at 14. The 264 rows in work are 17 MB. 1.2 to 1.5 times as long.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 1024;
constexpr int kBlocksPerSm = 2;
constexpr int kRow = 16384;
constexpr int kPerThread = kRow / kThreads;
constexpr float kEpsilon = 1e-5f;
constexpr int kReservedBytes = 96 * 1024;

// May be called again: the last barrier keeps the next call from what this one still reads, and BlockSum's own keeps
// `all` until every thread has read it.
__device__ float SumForAll(float value) {
  __shared__ float all;
  const float sum = culprit::BlockSum<kThreads>(value);
  if (threadIdx.x == 0) all = sum;
  __syncthreads();
  return all;
}
}  // namespace

constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm) layernorm_one_pass(const float* in, float* out) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kRow + threadIdx.x;
  float value[kPerThread], sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) value[i] = in[first + i * kThreads];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) sum += value[i];
  const float mean = SumForAll(sum) / kRow;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) squares = fmaf(value[i] - mean, value[i] - mean, squares);
  const float scale = rsqrtf(SumForAll(squares) / kRow + kEpsilon);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) out[first + i * kThreads] = (value[i] - mean) * scale;
}
constexpr int kThreeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    layernorm_three_passes(const float* in, float* out) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kRow + threadIdx.x;
  float sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) sum += in[first + i * kThreads];
  const float mean = SumForAll(sum) / kRow;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const float off = in[first + i * kThreads] - mean;
    squares = fmaf(off, off, squares);
  }
  const float scale = rsqrtf(SumForAll(squares) / kRow + kEpsilon);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) out[first + i * kThreads] = (in[first + i * kThreads] - mean) * scale;
}

namespace culprit {
namespace {

LaunchConfig Config(int rows) { return {dim3(rows), dim3(kThreads), kReservedBytes}; }

struct Job {
  static constexpr std::size_t kEvery = 16411;  // a row each time: its mean takes the host longer than a result
  static std::vector<float> Inputs(int rows) { return UniformFloats(static_cast<std::size_t>(rows) * kRow, 1); }
  static std::size_t Outputs(int rows) { return static_cast<std::size_t>(rows) * kRow; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    const float* row = in.data() + i / kRow * kRow;
    double sum = 0, squares = 0;
    for (int j = 0; j < kRow; ++j) sum += row[j];
    const double mean = sum / kRow;
    for (int j = 0; j < kRow; ++j) squares += (row[j] - mean) * (row[j] - mean);
    // A mean of values below 1 is 16 + 5 + 31 roundings off at most, so is the variance, near 1/3, of which the root
    // takes half; rsqrtf has 2 ulp; the result is below 2.
    return {(in[i] - mean) / std::sqrt(squares / kRow + kEpsilon), 2 * 4 * 52 * kFloatUnit};
  }
};

}  // namespace

PlantedPair LayernormPassesPair() {
  const AlikeKernels both("normalises rows of 16384 to mean 0 and variance 1, a block each", "passes over a row",
                          "kernels/planted/layernorm_passes.cu");
  return {.id = "layernorm_passes",
          .base = ElementsKernel<Job, ::layernorm_one_pass, Config>(both, "1", "layernorm_one_pass", kOneLine),
          .candidate =
              ElementsKernel<Job, ::layernorm_three_passes, Config>(both, "3", "layernorm_three_passes", kThreeLine),
          .sizes = {528, 2112},
          .flop = nullptr,
          .min_bytes = [](int rows) { return 2.0 * sizeof(float) * kRow * rows; }};
}

}  // namespace culprit
