// SPDX-License-Identifier: Apache-2.0
// Sums of 24 exponentials of each element, 2 to the k x / 8 for k below 24.
// A  each is computed by the special-function unit instead of as a power of the first.
// B  three partial sums of each element are stored, too, for a later pass.
// In ps an element on an H200: device memory 1.9 (8 bytes), with B 4.8 (20 bytes); powers and sums 1.7, with A 24
// special functions, 6.5. They overlap: 1.9, A 6.5, B 4.8, both a little more than A. A is about two thirds.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kTerms = 24;
constexpr int kSaved = 3;                          // partial sums of an element
constexpr int kSavedEach = kTerms / (kSaved + 1);  // terms

// Numbers in [-1, 1] that single precision holds exactly.
__host__ __device__ constexpr float Weight(int k) { return static_cast<float>((k * 5 + 3) % 17 - 8) / 8; }

// __expf would also scale arguments whose powers are denormal.
__device__ __forceinline__ float Exp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

template <bool kExponentials, bool kSave>
__device__ __forceinline__ void Sum(const float* in, float* out, float* saved, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float x = in[i] * 0.125f, q = Exp2(x);
  float power = 1, sum = 0;
#pragma unroll
  for (int k = 0; k < kTerms; ++k) {
    if (kSave && k > 0 && k % kSavedEach == 0) saved[static_cast<std::size_t>(k / kSavedEach - 1) * n + i] = sum;
    sum = fmaf(Weight(k), kExponentials ? Exp2(static_cast<float>(k) * x) : power, sum);
    power *= q;
  }
  out[i] = sum;
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) gauss_powers(const float* in, float* out, float* saved, int n) {
  Sum<false, false>(in, out, saved, n);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    gauss_exponentials(const float* in, float* out, float* saved, int n) {
  Sum<true, false>(in, out, saved, n);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    gauss_powers_saved(const float* in, float* out, float* saved, int n) {
  Sum<false, true>(in, out, saved, n);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    gauss_exponentials_saved(const float* in, float* out, float* saved, int n) {
  Sum<true, true>(in, out, saved, n);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel, bool kSave>
PlantedRun Make(int n) {
  const auto saved = std::make_shared<DeviceMemory>(kSave ? kSaved * sizeof(float) * n : sizeof(float));
  const auto launch = [=](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, saved->As<float>(), n);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    Wanted w;
    for (int k = 0; k < kTerms; ++k) {
      const double term = Weight(k) * std::exp2(k * in[i] / 8.0);
      w.value += term;
      // ex2.approx: 2 ulp (PTX ISA), and what rounding an argument below 3 adds: 12 units; k of those in a power; sums.
      w.bound += (12 * (k + 1) + kTerms) * kFloatUnit * std::abs(term);
    }
    return w;
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedMixture GaussTermsSavedMixture() {
  const MixedKernels four("adds 24 weighted exponentials of each element", "exponentials", "partial sums",
                          "kernels/planted/gauss_terms_saved.cu");
  return {.id = "gauss_terms_saved",
          .base = four.With("powers of the first", "none", "gauss_powers", kBaseLine, ::gauss_powers, Config,
                            Make<::gauss_powers, false>),
          .a = four.With("each", "none", "gauss_exponentials", kALine, ::gauss_exponentials, Config,
                         Make<::gauss_exponentials, false>),
          .b = four.With("powers of the first", "3 stored", "gauss_powers_saved", kBLine, ::gauss_powers_saved, Config,
                         Make<::gauss_powers_saved, true>),
          .both = four.With("each", "3 stored", "gauss_exponentials_saved", kBothLine, ::gauss_exponentials_saved,
                            Config, Make<::gauss_exponentials_saved, true>),
          .sizes = {1 << 24, 1 << 26},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
