// SPDX-License-Identifier: Apache-2.0
// The depth of a well at a million places: a series of 96 terms of each. A short kernel: in single precision 3.5 us of
// the FMA pipe and 2 to 3 of ramp and launch on an H100, in double precision 7 us of the FP64 pipe beside them.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kTerms = 96;

// Numbers in [-1, 1] that single precision holds exactly.
__host__ __device__ constexpr float Coefficient(int k) { return static_cast<float>((k * 23 + 7) % 33 - 16) / 16; }

template <class Real>
__device__ __forceinline__ void Depth(const float* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Real x = in[i];
  Real sum = Coefficient(kTerms - 1);
#pragma unroll
  for (int k = kTerms - 2; k >= 0; --k) sum = sum * x + static_cast<Real>(Coefficient(k));
  out[i] = static_cast<float>(sum);
}
}  // namespace

constexpr int kFloatLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) well_float(const float* in, float* out) {
  Depth<float>(in, out);
}
constexpr int kDoubleLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) well_double(const float* in, float* out) {
  Depth<double>(in, out);
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
    Wanted w;
    double power = 1;
    for (int k = 0; k < kTerms; ++k) {
      w.value += Coefficient(k) * power;
      // Horner's rule: 2 n roundings behind each term (Higham, "Accuracy and Stability of Numerical Algorithms", 5.1).
      w.bound += 2 * kTerms * kFloatUnit * std::abs(Coefficient(k) * power);
      power *= in[i];
    }
    return w;
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair WellDepthTypePair() {
  const AlikeKernels both("evaluates a series of 96 terms at each place", "arithmetic",
                          "kernels/planted/well_depth_type.cu");
  return {.id = "well_depth_type",
          .base = both.With("float", "well_float", kFloatLine, ::well_float, Config, Make<::well_float>),
          .candidate = both.With("double", "well_double", kDoubleLine, ::well_double, Config, Make<::well_double>),
          .sizes = {3 << 18, 1 << 20},
          .flop = [](int n) { return 2.0 * (kTerms - 1) * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
