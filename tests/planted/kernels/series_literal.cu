// SPDX-License-Identifier: Apache-2.0
// The mean of a series of degree 16 over 32 points per element. In single precision a point is 16 FFMAs at the FMA
// limit; with double literals the same line is 16 DFMAs at half the rate and 2 conversions: 32 cycles of the FP64 pipe
// per warp and sub-partition where the FMA pipe took 16.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPoints = 32;
constexpr float kSpacing = 0.03125f;

// exp(x) to degree 16; |x| < 2. An unsuffixed literal makes Literal double, and with it all arithmetic of the line.
template <class Literal>
__device__ float Series(float x) {
  constexpr double kFactorials[] = {20922789888000.0,
                                    1307674368000.0,
                                    87178291200.0,
                                    6227020800.0,
                                    479001600.0,
                                    39916800.0,
                                    3628800.0,
                                    362880.0,
                                    40320.0,
                                    5040.0,
                                    720.0,
                                    120.0,
                                    24.0,
                                    6.0,
                                    2.0,
                                    1.0,
                                    1.0};
  Literal y = static_cast<Literal>(1 / kFactorials[0]);
#pragma unroll
  for (int k = 1; k <= 16; ++k) y = y * x + static_cast<Literal>(1 / kFactorials[k]);
  return static_cast<float>(y);
}

template <class Literal>
__device__ void Mean(const float* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float x = in[i];
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < kPoints; ++k) {
    sum += Series<Literal>(x);
    x += kSpacing;  // exact: both are multiples of 2^-23 and the sum is below 2
  }
  out[i] = sum / kPoints;
}
}  // namespace

constexpr int kFloatLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) series_float_literals(const float* in, float* out) {
  Mean<float>(in, out);
}
constexpr int kPlainLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) series_plain_literals(const float* in, float* out) {
  Mean<double>(in, out);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    double sum = 0, size = 0;
    for (int k = 0; k < kPoints; ++k) {
      const double x = in[i] + double{kSpacing} * k;
      sum += std::exp(x);
      size += std::exp(std::abs(x));
    }
    // Degree 16 leaves out less than 2^17 / 17! < 2^-31. Horner's rule rounds 16 times, at no more than exp(|x|); so
    // does each of 32 additions.
    return {sum / kPoints, (2 * 16 + kPoints + 3) * kFloatUnit * size / kPoints};
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair SeriesLiteralPair() {
  const AlikeKernels both("averages a series of degree 16 over 32 points", "literals",
                          "kernels/planted/series_literal.cu");
  return {.id = "series_literal",
          .base = both.With("float", "series_float_literals", kFloatLine, ::series_float_literals, Config,
                            Make<::series_float_literals>),
          .candidate = both.With("double", "series_plain_literals", kPlainLine, ::series_plain_literals, Config,
                                 Make<::series_plain_literals>),
          .sizes = {1 << 21, 1 << 23},
          .flop = [](int n) { return 33.0 * kPoints * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
