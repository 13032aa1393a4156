// SPDX-License-Identifier: Apache-2.0
// The mean of the softmax of eight values at 32 temperatures, a thread each. A softmax divides the exponentials that
// were added up, or computes each again with the logarithm of the sum in its exponent.
// Limits on an H100: the special-function unit, 9 instructions of 8 cycles a temperature, warp and sub-partition:
// 32768 warps / 528 x 32 x 72 cycles = 0.08 ms at 1 Mi threads. Computed again 17 instructions: 1.7 to 1.9 times as
// long.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kValues = 8;
constexpr int kTemperatures = 32;

// Without what __expf and __logf do about subnormal numbers, which is half of their instructions.
__device__ float Exp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}
__device__ float Log2(float x) {
  float logarithm;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(logarithm) : "f"(x));
  return logarithm;
}

// One over the temperature, for powers of 2: 1/2 to 1 1/2.
__host__ __device__ float Coldness(int t) { return 0.5f + static_cast<float>(t) / kTemperatures; }

template <bool kAgain>
__device__ void MeanSoftmax(const float* in, float* out, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float x[kValues], mean[kValues] = {};
#pragma unroll
  for (int j = 0; j < kValues; ++j) x[j] = in[static_cast<std::size_t>(j) * n + i];
#pragma unroll 1
  for (int t = 0; t < kTemperatures; ++t) {
    const float coldness = Coldness(t);
    float power[kValues], sum = 0;
#pragma unroll
    for (int j = 0; j < kValues; ++j) sum += power[j] = Exp2(coldness * x[j]);
    if (kAgain) {
      const float log_sum = Log2(sum);
#pragma unroll
      for (int j = 0; j < kValues; ++j) mean[j] += Exp2(fmaf(coldness, x[j], -log_sum));
    } else {
      const float share = __fdividef(1.0f, sum);
#pragma unroll
      for (int j = 0; j < kValues; ++j) mean[j] = fmaf(power[j], share, mean[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < kValues; ++j) out[static_cast<std::size_t>(j) * n + i] = mean[j] / kTemperatures;
}
}  // namespace

constexpr int kKeptLine = __LINE__ + 1;
extern "C" __global__ void softmax_exponentials_kept(const float* in, float* out, int n) {
  MeanSoftmax<false>(in, out, n);
}
constexpr int kAgainLine = __LINE__ + 1;
extern "C" __global__ void softmax_exponentials_again(const float* in, float* out, int n) {
  MeanSoftmax<true>(in, out, n);
}

namespace culprit {
namespace {

LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 211;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(kValues) * n, 1); }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(kValues) * n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    double mean = 0;
    for (int t = 0; t < kTemperatures; ++t) {
      double sum = 0;
      for (int j = 0; j < kValues; ++j)
        sum += std::exp2(double{Coldness(t)} * in[static_cast<std::size_t>(j) * n + i % n]);
      mean += std::exp2(double{Coldness(t)} * in[i]) / sum / kTemperatures;
    }
    // Exponents below 8 in magnitude, with the logarithm's absolute error of 2^-22 (PTX ISA, lg2.approx) and roundings
    // of their own: below 16 units. An exponential adds 2 ulp, sums 7 and 32 roundings.
    return {mean, 2 * (16 + 2 * 10 + 7 + 32) * kFloatUnit * mean};
  }
};

}  // namespace

PlantedPair TemperedSoftmaxPair() {
  const AlikeKernels both("averages the softmax of eight values over 32 temperatures", "exponentials",
                          "kernels/planted/tempered_softmax.cu");
  return {.id = "tempered_softmax",
          .base = ElementsKernel<Job, ::softmax_exponentials_kept, Config>(both, "kept", "softmax_exponentials_kept",
                                                                           kKeptLine),
          .candidate = ElementsKernel<Job, ::softmax_exponentials_again, Config>(
              both, "computed again", "softmax_exponentials_again", kAgainLine),
          .sizes = {1 << 19, 1 << 21},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * kValues * n; }};
}

}  // namespace culprit
