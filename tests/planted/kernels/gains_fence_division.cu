// SPDX-License-Identifier: Apache-2.0
// A gain per channel for 8 samples a thread of a shard of a recording that has far more than 2^32 samples.
// A  each store is made visible to the whole GPU before the next.
// B  the channel comes from two 64-bit divisions of some 80 instructions instead of two multiplications.
// In cycles of an SM per warp and sample: device memory 12 (256 bytes); a fence waits 500 or more, 8 to 16 for each of
// 64 warps, partly behind the memory; divisions 40. So 12, A 18, B 42, both 50: A is about 18 %.
#include <cstdint>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPerThread = 8;
constexpr int kChannels = 96, kWidth = 384;  // samples of a channel in a row
constexpr std::int64_t kShardStart = (std::int64_t{1} << 28) * kChannels * kWidth;
// A 64-bit division of numbers that happen to fit 32 bits takes a shorter way; neither dividend does.
static_assert(kShardStart / kWidth > std::int64_t{1} << 32);

// Exact division of numbers below 2^31 by a fixed d that is no power of two, as a high product and a shift (Granlund
// and Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994).
struct Reciprocal {
  unsigned multiplier, shift;
};
constexpr Reciprocal ReciprocalOf(unsigned d) {
  unsigned bits = 0;
  while ((1u << bits) < d) ++bits;
  return {static_cast<unsigned>((std::uint64_t{1} << (31 + bits)) / d + 1), bits - 1};
}
__device__ unsigned Divide(unsigned n, Reciprocal by) { return __umulhi(n, by.multiplier) >> by.shift; }

// All of it known only at run time.
struct Shape {
  long long start, width, channels;
  Reciprocal by_width, by_channels;
};

template <bool kFence, bool kDivide>
__device__ __forceinline__ void Amplify(const float* in, const float* gains, float* out, const Shape& shape) {
  const unsigned first = blockIdx.x * (kThreads * kPerThread) + threadIdx.x;
  float value[kPerThread];
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) value[j] = in[first + j * kThreads];
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    const unsigned i = first + j * kThreads;
    unsigned channel;
    if constexpr (kDivide) {
      channel = static_cast<unsigned>((shape.start + i) / shape.width % shape.channels);
    } else {
      const unsigned row = Divide(i, shape.by_width);
      channel = row - Divide(row, shape.by_channels) * static_cast<unsigned>(shape.channels);
    }
    out[i] = value[j] * gains[channel];
    if (kFence) __threadfence();
  }
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    gains_plain_reciprocal(const float* in, const float* gains, float* out, const __grid_constant__ Shape shape) {
  Amplify<false, false>(in, gains, out, shape);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    gains_fenced_reciprocal(const float* in, const float* gains, float* out, const __grid_constant__ Shape shape) {
  Amplify<true, false>(in, gains, out, shape);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    gains_plain_division(const float* in, const float* gains, float* out, const __grid_constant__ Shape shape) {
  Amplify<false, true>(in, gains, out, shape);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    gains_fenced_division(const float* in, const float* gains, float* out, const __grid_constant__ Shape shape) {
  Amplify<true, true>(in, gains, out, shape);
}

namespace culprit {
namespace {

// n is a multiple of the samples of a block.
LaunchConfig Config(int n) { return {dim3(n / (kThreads * kPerThread)), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto gains = std::make_shared<std::vector<float>>(UniformFloats(kChannels, 2));
  const auto device_gains = Uploaded(*gains);
  const Shape shape{kShardStart, kWidth, kChannels, ReciprocalOf(kWidth), ReciprocalOf(kChannels)};
  const auto launch = [=](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, device_gains->As<float>(), out, shape);
  };
  const auto wanted = [gains](const std::vector<float>& in, std::size_t i) -> Wanted {
    const double value = double{in[i]} * (*gains)[(kShardStart + i) / kWidth % kChannels];
    return {value, kFloatUnit * (value < 0 ? -value : value)};
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedMixture GainsFenceDivisionMixture() {
  const MixedKernels four("multiplies samples with the gain of their channel", "after each store", "index",
                          "kernels/planted/gains_fence_division.cu");
  return {.id = "gains_fence_division",
          .base = four.With("nothing", "by reciprocals", "gains_plain_reciprocal", kBaseLine, ::gains_plain_reciprocal,
                            Config, Make<::gains_plain_reciprocal>),
          .a = four.With("a fence", "by reciprocals", "gains_fenced_reciprocal", kALine, ::gains_fenced_reciprocal,
                         Config, Make<::gains_fenced_reciprocal>),
          .b = four.With("nothing", "by division", "gains_plain_division", kBLine, ::gains_plain_division, Config,
                         Make<::gains_plain_division>),
          .both = four.With("a fence", "by division", "gains_fenced_division", kBothLine, ::gains_fenced_division,
                            Config, Make<::gains_fenced_division>),
          .sizes = {1 << 24, 1 << 26},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
