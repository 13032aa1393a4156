// SPDX-License-Identifier: Apache-2.0
// Correlations of a signal in L2 with itself, 8 lags of 128 samples each, two blocks of 8 warps an SM.
// A  loads bypass L1, so that each sample comes from L2 eight times instead of once.
// B  loads of 4 bytes instead of 16: four times as many steps, each of which waits for L2.
// In cycles of an SM per warp and 128 samples: L1 passes 8 x 512 bytes in 32; L2, with A, in some 100; a step waits 300
// cycles, 19 for each of 16 warps, with B 75. So 32, A 100, B 75, both a little more than A: A is about two thirds.
// A step's loads all go before its first product, and the loop over steps is not unrolled.
#include <cmath>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kBlocks = 264;  // two for each SM of an H100 SXM
constexpr int kLags = 8;
constexpr int kLag = 128;  // samples

template <class Access>
__device__ Access Load(const Access* at, bool past_l1) {
  return past_l1 ? __ldcg(at) : *at;
}
__device__ float Product(float x, float y) { return x * y; }
__device__ float Product(float4 x, float4 y) { return x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w; }

// in: n samples and those of the other lags. A block takes n / kBlocks of them.
template <bool kPastL1, class Access>
__device__ __forceinline__ void Correlate(const float* in, float* out, int n) {
  constexpr int kWidth = sizeof(Access) / sizeof(float);
  const int stretch = n / kBlocks;
  const float* x = in + static_cast<std::size_t>(blockIdx.x) * stretch + threadIdx.x * kWidth;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < stretch; i += kThreads * kWidth) {
    Access value[kLags];
#pragma unroll
    for (int lag = 0; lag < kLags; ++lag)
      value[lag] = Load(reinterpret_cast<const Access*>(x + i + lag * kLag), kPastL1);
#pragma unroll
    for (int lag = 1; lag < kLags; ++lag) sum += Product(value[0], value[lag]);
  }
  sum = culprit::BlockSum<kThreads>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) lags_l1_wide(const float* in, float* out, int n) {
  Correlate<false, float4>(in, out, n);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) lags_l2_wide(const float* in, float* out, int n) {
  Correlate<true, float4>(in, out, n);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) lags_l1_narrow(const float* in, float* out, int n) {
  Correlate<false, float>(in, out, n);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) lags_l2_narrow(const float* in, float* out, int n) {
  Correlate<true, float>(in, out, n);
}

namespace culprit {
namespace {

// n is a multiple of kUnit.
constexpr int kUnit = kBlocks * kThreads * 4;
LaunchConfig Config(int) { return {dim3(kBlocks), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t block) -> Wanted {
    const std::size_t stretch = static_cast<std::size_t>(n) / kBlocks, first = block * stretch;
    Wanted w;
    double size = 0;
    for (std::size_t i = first; i < first + stretch; ++i)
      for (int lag = 1; lag < kLags; ++lag) {
        const double term = double{in[i]} * in[i + lag * kLag];
        w.value += term;
        size += std::abs(term);
      }
    // A product, its sum with three others, one addition for each lag and step of a thread, 5 + 7 that join threads.
    w.bound = (4 + kLags * static_cast<double>(stretch) / kThreads + 5 + 7) * kFloatUnit * size;
    return w;
  };
  return PerElementRun(UniformFloats(static_cast<std::size_t>(n) + (kLags - 1) * kLag, 1), kBlocks, 1, launch, wanted);
}

}  // namespace

PlantedMixture LagsCacheWidthMixture() {
  const MixedKernels four("correlates a signal with itself at 8 lags", "loads", "access",
                          "kernels/planted/lags_cache_width.cu");
  return {.id = "lags_cache_width",
          .base = four.With("through L1", "4 floats", "lags_l1_wide", kBaseLine, ::lags_l1_wide, Config,
                            Make<::lags_l1_wide>),
          .a = four.With("past L1", "4 floats", "lags_l2_wide", kALine, ::lags_l2_wide, Config, Make<::lags_l2_wide>),
          .b = four.With("through L1", "1 float", "lags_l1_narrow", kBLine, ::lags_l1_narrow, Config,
                         Make<::lags_l1_narrow>),
          .both = four.With("past L1", "1 float", "lags_l2_narrow", kBothLine, ::lags_l2_narrow, Config,
                            Make<::lags_l2_narrow>),
          .sizes = {16 * kUnit, 32 * kUnit},
          .flop = [](int n) { return 2.0 * (kLags - 1) * n; },
          .min_bytes = [](int n) { return sizeof(float) * static_cast<double>(n); }};
}

}  // namespace culprit
