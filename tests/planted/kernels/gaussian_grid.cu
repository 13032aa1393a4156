// SPDX-License-Identifier: Apache-2.0
// Sums of 64 Gaussians with equally spaced centres. From one centre to the next the Gaussian changes by a factor that
// itself changes by a fixed factor (Greengard and Lee, "Accelerating the Nonuniform Fast Fourier Transform", SIAM
// Review 2004): 3 instructions a term, at the FMA limit. With one MUFU.EX2 a term, 4 lanes per cycle and sub-partition,
// it is 8 cycles of that pipe, over 4 instructions elsewhere.
#include <algorithm>
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kCentres = 64;
constexpr float kSpacing = 0.125f;  // of the centres, which start at 0
constexpr float kWidth = 0.25f;     // a Gaussian is 2^(-kWidth * distance^2)

// A kernel's parameters lie in the constant bank, which an FFMA reads as an operand.
struct Heights {
  float a[kCentres];
};

// MUFU.EX2; volatile, so that each use is computed.
__device__ float PowerOf2(float x) {
  float y;
  asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <bool kEach>
__device__ void SumGaussians(const float* in, float* out, const Heights& h) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float x = fmaf(4, in[i], 4);
  float sum = 0;
  if constexpr (kEach) {
#pragma unroll
    for (int k = 0; k < kCentres; ++k) {
      const float distance = x - k * kSpacing;
      sum = fmaf(h.a[k], PowerOf2(-kWidth * distance * distance), sum);
    }
  } else {
    float g = PowerOf2(-kWidth * x * x);
    float ratio = PowerOf2(kWidth * kSpacing * (2 * x - kSpacing));
    const float change = PowerOf2(-2 * kWidth * kSpacing * kSpacing);
#pragma unroll
    for (int k = 0; k < kCentres; ++k) {
      sum = fmaf(h.a[k], g, sum);
      g *= ratio;
      ratio *= change;
    }
  }
  out[i] = sum;
}
}  // namespace

constexpr int kRecurrenceLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    gaussian_recurrence(const float* in, float* out, const __grid_constant__ Heights h) {
  SumGaussians<false>(in, out, h);
}
constexpr int kExponentialsLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    gaussian_exponentials(const float* in, float* out, const __grid_constant__ Heights h) {
  SumGaussians<true>(in, out, h);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

Heights Random() {
  const std::vector<float> values = UniformFloats(kCentres, 2);
  Heights h;
  std::copy(values.begin(), values.end(), h.a);
  return h;
}

template <auto* kKernel>
PlantedRun Make(int n) {
  const Heights h = Random();
  const auto launch = [n, h](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, h);
  };
  const auto wanted = [h](const std::vector<float>& in, std::size_t i) -> Wanted {
    Wanted w;
    const double x = std::fma(4.0f, in[i], 4.0f);
    for (int k = 0; k < kCentres; ++k) {
      const double distance = x - double{kSpacing} * k;
      const double term = h.a[k] * std::exp2(-kWidth * distance * distance);
      w.value += term;
      // ex2.approx is good to 2 units in the last place (PTX ISA), and an exponent up to 16 is off by some 48 units
      // itself: below 60 for each of the two values it starts from. The k-th Gaussian has k ratios in it, and k * k / 2
      // changes of 4 units, beside its roundings.
      w.bound += (60 + 60.0 * k + (4 + 1) * 0.5 * k * k + kCentres) * kFloatUnit * std::abs(term);
    }
    return w;
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair GaussianGridPair() {
  const AlikeKernels both("sums 64 equally spaced Gaussians at each point", "Gaussians",
                          "kernels/planted/gaussian_grid.cu");
  return {.id = "gaussian_grid",
          .base = both.With("by recurrence", "gaussian_recurrence", kRecurrenceLine, ::gaussian_recurrence, Config,
                            Make<::gaussian_recurrence>),
          .candidate = both.With("one exponential each", "gaussian_exponentials", kExponentialsLine,
                                 ::gaussian_exponentials, Config, Make<::gaussian_exponentials>),
          .sizes = {1 << 23, 1 << 25},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
