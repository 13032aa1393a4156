// SPDX-License-Identifier: Apache-2.0
// Sums of 32 waves at a million places. A short kernel: cosines from the two before them are 2.5 us of the FMA pipe
// beside 2 to 3 of ramp and launch on an H100; each from the special-function unit, 9 us of that.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kWaves = 32;
constexpr float kStep = 0.0625f;  // of the waves' numbers

// Numbers in [-1, 1] that single precision holds exactly.
__host__ __device__ constexpr float Height(int k) { return static_cast<float>((k * 7 + 2) % 17 - 8) / 8; }

// Heights times cos(k x / 16), k from 0 on.
template <bool kEach>
__device__ __forceinline__ void Sum(const float* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float angle = kStep * in[i], first = __cosf(angle), twice = 2 * first;
  float before = 1, cosine = first, sum = fmaf(Height(1), first, Height(0));
#pragma unroll
  for (int k = 2; k < kWaves; ++k) {
    const float next = kEach ? __cosf(static_cast<float>(k) * angle) : fmaf(twice, cosine, -before);
    before = cosine;
    cosine = next;
    sum = fmaf(Height(k), cosine, sum);
  }
  out[i] = sum;
}
}  // namespace

constexpr int kRecurrenceLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) waves_recurrence(const float* in, float* out) {
  Sum<false>(in, out);
}
constexpr int kCosinesLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) waves_cosines(const float* in, float* out) {
  Sum<true>(in, out);
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
    for (int k = 0; k < kWaves; ++k) {
      w.value += Height(k) * std::cos(k * double{kStep} * in[i]);
      // __cosf is 2^-21.19 off, 7 units (CUDA C++ Programming Guide, intrinsic functions); in the recurrence an error
      // of a unit grows with k at most, one made in each of k steps to k^2.
      w.bound += (kWaves + 8 * (k + 1) * (k + 1)) * kFloatUnit * std::abs(Height(k));
    }
    return w;
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair WavesCosinesPair() {
  const AlikeKernels both("adds 32 waves at each place", "cosines", "kernels/planted/waves_cosines.cu");
  return {.id = "waves_cosines",
          .base = both.With("by recurrence", "waves_recurrence", kRecurrenceLine, ::waves_recurrence, Config,
                            Make<::waves_recurrence>),
          .candidate = both.With("each", "waves_cosines", kCosinesLine, ::waves_cosines, Config, Make<::waves_cosines>),
          .sizes = {3 << 18, 1 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
