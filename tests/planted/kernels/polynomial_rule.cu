// SPDX-License-Identifier: Apache-2.0
// A polynomial of degree 255. Horner's rule is one FFMA per term, at the FMA limit (36 us for 4 million on an H100,
// whose memory would take 10); with the running power of x it is an FMUL and an FFMA per term on the same pipe.
#include <algorithm>
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kTerms = 256;

// c[k] goes with x to the k. A kernel's parameters lie in the constant bank, which an FFMA reads as an operand.
struct Coefficients {
  float c[kTerms];
};

template <bool kPowers>
__device__ void Evaluate(const float* in, float* out, const Coefficients& a) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float x = in[i];
  float y;
  if constexpr (kPowers) {
    y = a.c[0];
    float power = 1;
#pragma unroll
    for (int k = 1; k < kTerms; ++k) {
      power *= x;
      y = fmaf(a.c[k], power, y);
    }
  } else {
    y = a.c[kTerms - 1];
#pragma unroll
    for (int k = kTerms - 2; k >= 0; --k) y = fmaf(y, x, a.c[k]);
  }
  out[i] = y;
}
}  // namespace

constexpr int kHornerLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    polynomial_horner(const float* in, float* out, const __grid_constant__ Coefficients a) {
  Evaluate<false>(in, out, a);
}
constexpr int kPowersLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    polynomial_powers(const float* in, float* out, const __grid_constant__ Coefficients a) {
  Evaluate<true>(in, out, a);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

Coefficients Random() {
  const std::vector<float> values = UniformFloats(kTerms, 2);
  Coefficients a;
  std::copy(values.begin(), values.end(), a.c);
  return a;
}

template <auto* kKernel>
PlantedRun Make(int n) {
  const Coefficients a = Random();
  const auto launch = [n, a](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, a);
  };
  const auto wanted = [a](const std::vector<float>& in, std::size_t i) -> Wanted {
    Wanted w;
    double power = 1;
    for (int k = 0; k < kTerms; ++k) {
      w.value += a.c[k] * power;
      // Higham, "Accuracy and Stability of Numerical Algorithms", section 5.1: Horner's rule has 2 n roundings behind
      // each term. With powers it is k for the power and one for each later sum: less.
      w.bound += 2 * kTerms * kFloatUnit * std::abs(a.c[k] * power);
      power *= in[i];
    }
    return w;
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair PolynomialRulePair() {
  const AlikeKernels both("evaluates a polynomial of degree 255", "evaluation", "kernels/planted/polynomial_rule.cu");
  return {.id = "polynomial_rule",
          .base = both.With("Horner's rule", "polynomial_horner", kHornerLine, ::polynomial_horner, Config,
                            Make<::polynomial_horner>),
          .candidate = both.With("running power", "polynomial_powers", kPowersLine, ::polynomial_powers, Config,
                                 Make<::polynomial_powers>),
          .sizes = {1 << 22, 1 << 24},
          .flop = [](int n) { return 2.0 * (kTerms - 1) * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
