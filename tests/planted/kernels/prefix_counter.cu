// SPDX-License-Identifier: Apache-2.0
// Prefix sums of 1024 floats by doubling distances, in shared memory, a block each. The loop over the distances counts
// up with the distance, or counts the ten rounds.
// Limits on an H100: a block meets 20 times, and loads and stores 10 times, near 2000 cycles for 2 blocks per SM:
// 16384 blocks / 264 x 2000 cycles = 0.07 ms. Unrolled, both are the same machine code.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kCells = 1024;
constexpr int kRounds = 10;
}  // namespace

constexpr int kDistanceLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kCells) prefix_by_distance(const float* in, float* out) {
  __shared__ float cells[kCells];
  const int t = static_cast<int>(threadIdx.x);
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kCells + t;
  float sum = in[at];
#pragma unroll
  for (int distance = 1; distance < kCells; distance *= 2) {
    cells[t] = sum;
    __syncthreads();
    if (t >= distance) sum += cells[t - distance];
    __syncthreads();  // the next round overwrites the cells
  }
  out[at] = sum;
}
constexpr int kRoundLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kCells) prefix_by_round(const float* in, float* out) {
  __shared__ float cells[kCells];
  const int t = static_cast<int>(threadIdx.x);
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kCells + t;
  float sum = in[at];
  int round = kRounds;
#pragma unroll
  while (round > 0) {
    const int distance = 1 << (kRounds - round);
    cells[t] = sum;
    __syncthreads();
    if (t >= distance) sum += cells[t - distance];
    __syncthreads();  // the next round overwrites the cells
    --round;
  }
  out[at] = sum;
}

namespace culprit {
namespace {

// n floats, a multiple of a block's.
LaunchConfig Config(int n) { return {dim3(n / kCells), dim3(kCells), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 1021;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    Wanted w;
    for (std::size_t j = i / kCells * kCells; j <= i; ++j) {
      w.value += in[j];
      w.bound += kRounds * kFloatUnit * std::abs(in[j]);
    }
    return w;
  }
};

}  // namespace

PlantedPair PrefixCounterPair() {
  const AlikeKernels both("computes prefix sums of 1024 floats per block", "counter of the loop",
                          "kernels/planted/prefix_counter.cu");
  return {
      .id = "prefix_counter",
      .base = ElementsKernel<Job, ::prefix_by_distance, Config>(both, "distance", "prefix_by_distance", kDistanceLine),
      .candidate = ElementsKernel<Job, ::prefix_by_round, Config>(both, "rounds left", "prefix_by_round", kRoundLine),
      .sizes = {8 << 20, 16 << 20},
      .flop = nullptr,
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
