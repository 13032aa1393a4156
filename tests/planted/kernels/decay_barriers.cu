// SPDX-License-Identifier: Apache-2.0
// Decay chains of 64 stages, a chain a lane. The 16 warps of a block do not depend on each other, and each takes 1 to
// 16 rounds for a stage, as its data say; they meet after each stage, or never.
// Limits on an H100 with 16 warps an SM, which both reserve shared memory for: a round is 8 dependent FMAs, 32 cycles
// and more, so a stage takes 8.5 rounds on average. Where warps meet, a stage takes as long as the slowest of 16, near
// 16 rounds. 1.6 to 1.9 times as long.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 512;
constexpr int kLanes = 32;
constexpr int kStages = 64;
constexpr int kMostRounds = 16;
constexpr int kSteps = 8;  // of a round
constexpr float kRate = 0.998f;
// More than half of an SM's shared memory, so that one block fits.
constexpr int kReservedBytes = 120 * 1024;

// Of all lanes of `warp`.
__host__ __device__ int Rounds(unsigned warp, int stage) {
  const unsigned bits = (warp * kStages + static_cast<unsigned>(stage)) * 2654435761u;
  return 1 + static_cast<int>(bits >> 28);
}
static_assert(1 + (0xffffffffu >> 28) == kMostRounds);

template <bool kMeet>
__device__ void Decay(const float* in, float* out) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  float amount = in[thread];
#pragma unroll 1
  for (int stage = 0; stage < kStages; ++stage) {
    const float supply = static_cast<float>(stage) * 0x1p-16f;
    const int rounds = Rounds(thread / kLanes, stage);
#pragma unroll 1
    for (int round = 0; round < rounds; ++round)
#pragma unroll
      for (int step = 0; step < kSteps; ++step) amount = fmaf(amount, kRate, supply);
    if (kMeet) __syncthreads();
  }
  out[thread] = amount;
}
}  // namespace

constexpr int kAloneLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) decay_warps_alone(const float* in, float* out) {
  Decay<false>(in, out);
}
constexpr int kMeetLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) decay_warps_meet(const float* in, float* out) {
  Decay<true>(in, out);
}

namespace culprit {
namespace {

LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), kReservedBytes}; }

struct Job {
  static constexpr std::size_t kEvery = 211;
  static std::vector<float> Inputs(int blocks) { return UniformFloats(static_cast<std::size_t>(blocks) * kThreads, 1); }
  static std::size_t Outputs(int blocks) { return static_cast<std::size_t>(blocks) * kThreads; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    double amount = in[i];
    for (int stage = 0; stage < kStages; ++stage) {
      const int steps = Rounds(static_cast<unsigned>(i / kLanes), stage) * kSteps;
      for (int step = 0; step < steps; ++step) amount = amount * kRate + stage * 0x1p-16;
    }
    // A step rounds once, below 1.5, and what was there decays by 0.002: 500 roundings remain at most.
    return {amount, 500 * 2 * kFloatUnit};
  }
};

}  // namespace

PlantedPair DecayBarriersPair() {
  const AlikeKernels both("runs decay chains of 64 stages of differing length", "warps of a block",
                          "kernels/planted/decay_barriers.cu");
  return {.id = "decay_barriers",
          .base = ElementsKernel<Job, ::decay_warps_alone, Config>(both, "go alone", "decay_warps_alone", kAloneLine),
          .candidate = ElementsKernel<Job, ::decay_warps_meet, Config>(both, "meet after a stage", "decay_warps_meet",
                                                                       kMeetLine),
          .sizes = {264, 1056},
          .flop = nullptr,
          .min_bytes = [](int blocks) { return 2.0 * sizeof(float) * kThreads * blocks; }};
}

}  // namespace culprit
