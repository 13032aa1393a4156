// SPDX-License-Identifier: Apache-2.0
// Scale and bias per channel and frame over a shard of a tensor that has far more than 2^32 elements. By memory it is 8
// bytes an element, about 45 us for 16 million on an H100. Frame and channel come from the element's index: two
// multiplications by a reciprocal, or two 64-bit divisions of some 80 instructions each, which at 528 warp instructions
// per cycle take longer than the memory does.
#include <cmath>
#include <cstdint>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kChannels = 96, kWidth = 768, kBiases = 64;
constexpr std::int64_t kFirstFrame = 1 << 26;  // of the shard
constexpr std::int64_t kShardStart = kFirstFrame * kChannels * kWidth;
// A 64-bit division of numbers that happen to fit 32 bits takes a shorter way; neither dividend does.
static_assert(kFirstFrame * kChannels > std::int64_t{1} << 32 && kShardStart > std::int64_t{1} << 32);
static_assert(kFirstFrame % kBiases == 0);

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

template <bool k64Bit>
__device__ void Scale(const float* in, const float* scales, const float* biases, float* out, const Shape& shape) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  unsigned channel, frame;
  if constexpr (k64Bit) {
    const long long row = (shape.start + i) / shape.width;
    channel = static_cast<unsigned>(row % shape.channels);
    frame = static_cast<unsigned>(row / shape.channels);
  } else {
    const unsigned row = Divide(i, shape.by_width);
    frame = Divide(row, shape.by_channels);
    channel = row - frame * static_cast<unsigned>(shape.channels);
  }
  out[i] = fmaf(in[i], scales[channel], biases[frame % kBiases]);
}
}  // namespace

constexpr int kReciprocalLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    shard_reciprocal(const float* in, const float* scales, const float* biases, float* out, Shape shape) {
  Scale<false>(in, scales, biases, out, shape);
}
constexpr int kDivisionLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    shard_division(const float* in, const float* scales, const float* biases, float* out, Shape shape) {
  Scale<true>(in, scales, biases, out, shape);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const std::vector<float> scales = UniformFloats(kChannels, 2), biases = UniformFloats(kBiases, 3);
  const auto device_scales = Uploaded(scales);
  const auto device_biases = Uploaded(biases);
  const Shape shape{kShardStart, kWidth, kChannels, ReciprocalOf(kWidth), ReciprocalOf(kChannels)};
  const auto launch = [=](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, device_scales->As<float>(), device_biases->As<float>(), out, shape);
  };
  const auto wanted = [=](const std::vector<float>& in, std::size_t i) -> Wanted {
    const double value =
        static_cast<double>(in[i]) * scales[i / kWidth % kChannels] + biases[i / kWidth / kChannels % kBiases];
    return {value, 1.01 * kFloatUnit * std::abs(value)};
  };
  return PerElementRun(UniformFloats(n, 1), n, 3, launch, wanted);
}

}  // namespace

PlantedPair ShardIndexPair() {
  const AlikeKernels both("scales and shifts a shard of a tensor by channel and frame", "index division",
                          "kernels/planted/shard_index.cu");
  return {.id = "shard_index",
          .base = both.With("32-bit reciprocal", "shard_reciprocal", kReciprocalLine, ::shard_reciprocal, Config,
                            Make<::shard_reciprocal>),
          .candidate = both.With("64-bit division", "shard_division", kDivisionLine, ::shard_division, Config,
                                 Make<::shard_division>),
          .sizes = {1 << 24, 1 << 26},
          .flop = [](int n) { return 2.0 * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
