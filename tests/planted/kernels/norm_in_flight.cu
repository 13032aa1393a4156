// SPDX-License-Identifier: Apache-2.0
// Sums of squares of stretches of a vector, one block each. A thread loads eight values before it uses the first, or
// uses each before it loads the next.
// Limits on an H100 with half of its warps, which both reserve shared memory for: eight keep 32 warps x 8 x 128 bytes =
// 32 KB in flight per SM, device memory limits (0.27 GB in 0.09 ms at 64 Mi values). One keeps 4 KB, 6 bytes a cycle of
// 14: a warp waits a whole latency of 600 cycles or more for each value. 2 to 4 times as long.
// Kept apart because neither loop is unrolled and an iteration of each stores nothing.
#include <cstddef>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kStretch = 16384;  // floats of a block
// Four blocks (32 warps) of this and the system's 1 KB each are the 228 KB of an SM.
constexpr int kReservedBytes = 56 * 1024;

template <int kInFlight>
__device__ void SumSquares(const float* in, float* out) {
  const float* x = in + static_cast<std::size_t>(blockIdx.x) * kStretch + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < kStretch; i += kInFlight * kThreads) {
    float value[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) value[j] = x[i + j * kThreads];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) sum = fmaf(value[j], value[j], sum);
  }
  sum = culprit::BlockSum<kThreads>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
}  // namespace

constexpr int kEightLine = __LINE__ + 1;
extern "C" __global__ void norm_eight_in_flight(const float* in, float* out) { SumSquares<8>(in, out); }
constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void norm_one_in_flight(const float* in, float* out) { SumSquares<1>(in, out); }

namespace culprit {
namespace {

// A vector of n floats, a multiple of a block's stretch.
LaunchConfig Config(int n) { return {dim3(n / kStretch), dim3(kThreads), kReservedBytes}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t block) {
    double sum = 0;
    for (std::size_t i = 0; i < kStretch; ++i) {
      const double x = in[block * kStretch + i];
      sum += x * x;
    }
    // A thread adds 64 values one after the other; 5 + 7 additions join the threads.
    return Wanted{sum, (kStretch / kThreads + 5 + 7) * kFloatUnit * sum};
  };
  return PerElementRun(UniformFloats(n, 1), n / kStretch, 1, launch, wanted);
}

}  // namespace

PlantedPair NormInFlightPair() {
  const AlikeKernels both("adds the squares of a vector, a stretch of 64 KB per block", "loads before a use",
                          "kernels/planted/norm_in_flight.cu");
  return {.id = "norm_in_flight",
          .base = both.With("8", "norm_eight_in_flight", kEightLine, ::norm_eight_in_flight, Config,
                            Make<::norm_eight_in_flight>),
          .candidate =
              both.With("1", "norm_one_in_flight", kOneLine, ::norm_one_in_flight, Config, Make<::norm_one_in_flight>),
          .sizes = {32 << 20, 64 << 20},
          .flop = [](int n) { return 2.0 * n; },
          .min_bytes = [](int n) { return sizeof(float) * static_cast<double>(n); }};
}

}  // namespace culprit
