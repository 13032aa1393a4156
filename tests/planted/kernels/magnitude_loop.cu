// SPDX-License-Identifier: Apache-2.0
// How much weight lies in each of eight magnitudes, powers of 4; a number's magnitude comes from its exponent, or from
// comparing it with one limit after the other in a loop that each lane leaves where it must.
// The same additions limit both: seven numbers of eight are of the first magnitude, so that the lanes of a warp meet in
// a word of shared memory, 28 cycles of an SM, where the loop's steps, 8 at most, issue some 12 a scheduler.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPerThread = 32;
constexpr int kMagnitudes = 8;
constexpr int kSets = 64;  // of totals, so that blocks hardly meet

// A number is weight * 2^16 + value; values are below 4^kMagnitudes.
__host__ __device__ constexpr unsigned ValueOf(std::uint32_t number) { return number & 0xffff; }
__host__ __device__ constexpr unsigned WeightOf(std::uint32_t number) { return number >> 16; }

template <bool kLoop>
__device__ __forceinline__ int MagnitudeOf(unsigned value) {
  if constexpr (kLoop) {
    int magnitude = 0;
#pragma unroll 1
    for (unsigned limit = 4; value >= limit; limit *= 4) ++magnitude;
    return magnitude;
  } else {
    return (31 - __clz(static_cast<int>(value | 1))) / 2;
  }
}

template <bool kLoop>
__device__ __forceinline__ void Weigh(const std::uint32_t* in, unsigned* totals) {
  __shared__ unsigned weights[kMagnitudes];
  if (threadIdx.x < kMagnitudes) weights[threadIdx.x] = 0;
  __syncthreads();
  const std::uint32_t* mine = in + static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread) + threadIdx.x;
#pragma unroll 4
  for (int i = 0; i < kPerThread; ++i) {
    const std::uint32_t number = mine[i * kThreads];
    atomicAdd(weights + MagnitudeOf<kLoop>(ValueOf(number)), WeightOf(number));
  }
  __syncthreads();
  if (threadIdx.x < kMagnitudes)
    atomicAdd(totals + blockIdx.x % kSets * kMagnitudes + threadIdx.x, weights[threadIdx.x]);
}
}  // namespace

constexpr int kExponentLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    magnitude_by_exponent(const std::uint32_t* in, unsigned* totals) {
  Weigh<false>(in, totals);
}
constexpr int kLoopLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    magnitude_by_comparison(const std::uint32_t* in, unsigned* totals) {
  Weigh<true>(in, totals);
}

namespace culprit {
namespace {

// n numbers, a multiple of what a block takes.
LaunchConfig Config(int n) { return {dim3(n / (kThreads * kPerThread)), dim3(kThreads), 0}; }

struct Job {
  using Total = unsigned;
  static constexpr std::size_t kCopies = kSets;
  // One number in eight has any magnitude, as its position's hash says. Weights below 32 keep 2^26 of them below 2^31.
  static std::vector<std::uint32_t> Inputs(int n) {
    std::vector<std::uint32_t> numbers(n);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint32_t hash = static_cast<std::uint32_t>(i) * 2654435761u;
      const std::uint32_t magnitude = hash >> 29 == 0 ? hash >> 26 & 7 : 0;
      const std::uint32_t value = (1u << 2 * magnitude) + (hash >> 8 & ((1u << 2 * magnitude) - 1));
      numbers[i] = (hash >> 3 & 31) << 16 | value;
    }
    return numbers;
  }
  static std::vector<double> Totals(const std::vector<std::uint32_t>& in) {
    std::vector<double> totals(kMagnitudes);
    for (const std::uint32_t number : in) {
      std::size_t magnitude = 0;
      for (unsigned limit = 4; ValueOf(number) >= limit; limit *= 4) ++magnitude;
      totals[magnitude] += WeightOf(number);
    }
    return totals;
  }
};

}  // namespace

PlantedPair MagnitudeLoopPair() {
  const AlikeKernels both("adds weights to the totals of eight magnitudes", "magnitude",
                          "kernels/planted/magnitude_loop.cu");
  return {.id = "magnitude_loop",
          .base = TotalsKernel<Job, ::magnitude_by_exponent, Config>(both, "by exponent", "magnitude_by_exponent",
                                                                     kExponentLine),
          .candidate = TotalsKernel<Job, ::magnitude_by_comparison, Config>(both, "by comparison",
                                                                            "magnitude_by_comparison", kLoopLine),
          .sizes = {1 << 24, 1 << 26},
          .flop = nullptr,
          .min_bytes = [](int n) { return 1.0 * sizeof(std::uint32_t) * n; }};
}

}  // namespace culprit
