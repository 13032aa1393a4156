// SPDX-License-Identifier: Apache-2.0
// Squares 8 values a thread. All are loaded before the first is stored, so that loads overlap alike in both; then they
// are stored one after the other, or each is made visible to the whole GPU (__threadfence) before the next is stored.
// Limits: device memory, 8 bytes a value, 0.12 ms at 64 Mi values on an H200. A fence waits until the store has reached
// L2, 500 cycles or more, and an SM's warps wait side by side: 0.07 ms in all, partly behind the memory. Measured: 0.13
// and 0.18 ms.
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPerThread = 8;

template <bool kFence>
__device__ __forceinline__ void Square(const float* in, float* out) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread) + threadIdx.x;
  float value[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) value[i] = in[first + i * kThreads];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    out[first + i * kThreads] = value[i] * value[i];
    if (kFence) __threadfence();
  }
}
}  // namespace

constexpr int kStoredLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) square_stored(const float* in, float* out) {
  Square<false>(in, out);
}
constexpr int kFencedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) square_fenced(const float* in, float* out) {
  Square<true>(in, out);
}

namespace culprit {
namespace {

// `count` is a multiple of the values of a block.
LaunchConfig Config(int count) { return {dim3(count / (kThreads * kPerThread)), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int count) {
  return PerElementRun(
      UniformFloats(count, 1), count, 101,
      [=](cudaStream_t stream, const float* in, float* out) {
        EnqueuePlanted(kKernel, Config(count), stream, in, out);
      },
      [](const std::vector<float>& in, std::size_t i) {
        const double value = static_cast<double>(in[i]) * in[i];
        return Wanted{value, kFloatUnit * value};
      });
}

}  // namespace

PlantedPair SquareFencePair() {
  const AlikeKernels both("squares 8 values a thread and stores them one after the other", "after each store",
                          "kernels/planted/square_fence.cu");
  return {.id = "square_fence",
          .base = both.With("nothing", "square_stored", kStoredLine, ::square_stored, Config, Make<::square_stored>),
          .candidate = both.With("fence", "square_fenced", kFencedLine, ::square_fenced, Config, Make<::square_fenced>),
          .sizes = {1 << 24, 1 << 26},
          .flop = [](int count) { return 1.0 * count; },
          .min_bytes = [](int count) { return 2.0 * sizeof(float) * count; }};
}

}  // namespace culprit
