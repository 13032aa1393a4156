// SPDX-License-Identifier: Apache-2.0
// A tone curve, a polynomial of degree 12, applied twelve times over. Its coefficients are float literals, or have lost
// their suffix, so that each application is computed in double precision and rounded to float.
// Limits on an H100: the FMA pipe, 12 instructions of a cycle an application, warp and sub-partition; in double as many
// of 2 cycles of the FP64 pipe, and two conversions of 8 cycles elsewhere. 1.8 to 2.2 times as long.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kTimes = 12;
}  // namespace

// clang-format off: a polynomial reads from left to right
constexpr int kSuffixedLine = __LINE__ + 1;
extern "C" __global__ void tone_float_literals(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float x = in[i];
#pragma unroll 4
  for (int time = 0; time < kTimes; ++time)
    x = x * (0.9f +
             x * (0.02f +
                  x * (-0.015f +
                       x * (0.01f +
                            x * (-0.006f +
                                 x * (0.004f +
                                      x * (-0.0025f +
                                           x * (0.0015f +
                                                x * (-0.001f + x * (0.0005f + x * (-0.00025f + x * 0.000125f)))))))))));
  out[i] = x;
}
constexpr int kPlainLine = __LINE__ + 1;
extern "C" __global__ void tone_double_literals(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float x = in[i];
#pragma unroll 4
  for (int time = 0; time < kTimes; ++time)
    x = static_cast<float>(
        x *
        (0.9 +
         x * (0.02 +
              x * (-0.015 +
                   x * (0.01 + x * (-0.006 +
                                    x * (0.004 +
                                         x * (-0.0025 +
                                              x * (0.0015 +
                                                   x * (-0.001 + x * (0.0005 + x * (-0.00025 + x * 0.000125))))))))))));
  out[i] = x;
}
// clang-format on

namespace culprit {
namespace {

LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 31;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    constexpr double kCoefficients[] = {0.000125, -0.00025, 0.0005, -0.001, 0.0015, -0.0025,
                                        0.004,    -0.006,   0.01,   -0.015, 0.02,   0.9};
    double x = in[i];
    for (int time = 0; time < kTimes; ++time) {
      double sum = 0;
      for (const double coefficient : kCoefficients) sum = sum * x + coefficient;
      x *= sum;
    }
    // An application rounds below 1 at most 14 times, the coefficients' own roundings included, and lets what was off
    // before grow by its slope, at most 1.13: by less than 4.4 in twelve.
    return {x, 4.4 * kTimes * 14 * kFloatUnit};
  }
};

}  // namespace

PlantedPair ToneLiteralPair() {
  const AlikeKernels both("applies a tone curve twelve times over", "literals", "kernels/planted/tone_literal.cu");
  return {
      .id = "tone_literal",
      .base = ElementsKernel<Job, ::tone_float_literals, Config>(both, "float", "tone_float_literals", kSuffixedLine),
      .candidate =
          ElementsKernel<Job, ::tone_double_literals, Config>(both, "double", "tone_double_literals", kPlainLine),
      .sizes = {8 << 20, 16 << 20},
      .flop = [](int n) { return 24.0 * kTimes * n; },
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
