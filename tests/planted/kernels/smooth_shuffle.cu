// SPDX-License-Identifier: Apache-2.0
// The mean of each value and the next. The next comes from the neighbouring lane, or from memory a second time.
// Limits on an H100: device memory in both, 8 bytes a value: 0.27 GB in 0.09 ms at 32 Mi. Read twice, L1 serves two
// requests a warp instead of one and a bit, the second over two lines, and finds almost all of it: 5 cycles of an SM
// where device memory takes 18.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kLanes = 32;
}  // namespace

constexpr int kLaneLine = __LINE__ + 1;
extern "C" __global__ void smooth_from_lane(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float mine = in[i];
  float next = __shfl_down_sync(~0u, mine, 1);
  if (threadIdx.x % kLanes == kLanes - 1) next = in[i + 1];
  out[i] = 0.5f * (mine + next);
}
constexpr int kMemoryLine = __LINE__ + 1;
extern "C" __global__ void smooth_from_memory(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  out[i] = 0.5f * (in[i] + in[i + 1]);
}

namespace culprit {
namespace {

LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(n) + 1, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    return {0.5 * (double{in[i]} + in[i + 1]), kFloatUnit};
  }
};

}  // namespace

PlantedPair SmoothShufflePair() {
  const AlikeKernels both("averages each value with the next", "the next value", "kernels/planted/smooth_shuffle.cu");
  return {.id = "smooth_shuffle",
          .base = ElementsKernel<Job, ::smooth_from_lane, Config>(both, "a lane's", "smooth_from_lane", kLaneLine),
          .candidate =
              ElementsKernel<Job, ::smooth_from_memory, Config>(both, "in memory", "smooth_from_memory", kMemoryLine),
          .sizes = {16 << 20, 32 << 20},
          .flop = [](int n) { return 2.0 * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
