// SPDX-License-Identifier: Apache-2.0
// A polynomial of degree 511 at 4 points a thread; its coefficients are in shared memory, all lanes want the same one.
// Read once for 4 points: 1 load and 4 FMA a coefficient, 4 cycles of shared memory and 5 issue slots.
// Read for each point: 4 loads, 16 cycles of a quarter of an SM. Reads are volatile in both: neither more nor fewer
// nor wider ones than written here.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kTerms = 512;
constexpr int kPoints = 4;
constexpr int kThreads = 256;

template <bool kOnce>
__device__ __forceinline__ void Evaluate(const float* coefficients, const float* x, float* out, int count) {
  __shared__ float shared[kTerms];
  for (int i = static_cast<int>(threadIdx.x); i < kTerms; i += kThreads) shared[i] = coefficients[i];
  __syncthreads();
  const volatile float* c = shared;
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), apart = count / kPoints;
  float point[kPoints], value[kPoints];
#pragma unroll
  for (int p = 0; p < kPoints; ++p) {
    point[p] = x[first + p * apart];
    value[p] = 0;
  }
#pragma unroll 8
  for (int i = kTerms - 1; i >= 0; --i) {
    float coefficient = c[i];
#pragma unroll
    for (int p = 0; p < kPoints; ++p) {
      if (!kOnce && p > 0) coefficient = c[i];
      value[p] = value[p] * point[p] + coefficient;
    }
  }
#pragma unroll
  for (int p = 0; p < kPoints; ++p) out[first + p * apart] = value[p];
}
}  // namespace

constexpr int kOnceLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    polynomial_read_once(const float* coefficients, const float* x, float* out, int count) {
  Evaluate<true>(coefficients, x, out, count);
}
constexpr int kRereadLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    polynomial_reread(const float* coefficients, const float* x, float* out, int count) {
  Evaluate<false>(coefficients, x, out, count);
}

namespace culprit {
namespace {

// `count` is a multiple of the points of a block.
LaunchConfig Config(int count) {
  return {dim3(static_cast<unsigned>(count) / (kThreads * kPoints)), dim3(kThreads), 0};
}

template <auto* kKernel>
PlantedRun Make(int count) {
  const auto c = std::make_shared<std::vector<float>>(UniformFloats(kTerms, 1));
  const auto x = std::make_shared<std::vector<float>>(UniformFloats(count, 2));
  const auto coefficients = Uploaded(*c), points = Uploaded(*x);
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(count), stream, coefficients->As<float>(), points->As<float>(), out->As<float>(),
                   count);
  };
  run.check = [=, launch = run.launch] {
    const std::vector<std::size_t> where = SpreadIndices(count, 20'000);
    std::vector<double> wanted, bound;
    for (const std::size_t at : where) {
      double value = 0, magnitude = 0;
      const double point = (*x)[at];
      for (int i = kTerms - 1; i >= 0; --i) {
        value = value * point + (*c)[i];
        magnitude = magnitude * std::abs(point) + std::abs((*c)[i]);
      }
      wanted.push_back(value);
      // Horner's rule, one rounding a term where the FMA is one operation, two otherwise (Higham, "Accuracy and
      // Stability of Numerical Algorithms", 5.1).
      bound.push_back(2 * kTerms * kFloatUnit * magnitude);
    }
    return CheckFloatsAt({launch, {}}, out->As<float>(), count, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair PolynomialPointsPair() {
  const AlikeKernels both("evaluates a polynomial whose coefficients are in shared memory at 4 points a thread",
                          "coefficient read", "kernels/planted/polynomial_points.cu");
  return {.id = "polynomial_points",
          .base = both.With("once for 4 points", "polynomial_read_once", kOnceLine, ::polynomial_read_once, Config,
                            Make<::polynomial_read_once>),
          .candidate = both.With("for each point", "polynomial_reread", kRereadLine, ::polynomial_reread, Config,
                                 Make<::polynomial_reread>),
          .sizes = {1 << 22, 1 << 24},
          .flop = [](int count) { return 2.0 * kTerms * count; },
          .min_bytes = [](int count) { return 2.0 * sizeof(float) * count; }};
}

}  // namespace culprit
