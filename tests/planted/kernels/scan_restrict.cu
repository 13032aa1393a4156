// SPDX-License-Identifier: Apache-2.0
// A state-space scan, state <- a state + b over 128 steps, a channel a thread, each state stored. The pointers are
// declared __restrict__, or are not.
// Limits on an H100 with 8 warps an SM, which both reserve shared memory for: declared, the loads of 8 steps go before
// their stores: 8 warps x 16 x 128 bytes = 16 KB in flight. Not declared, a load waits for the store before it to be
// issued, so for the values before it: 2 KB in flight, and a latency of 600 cycles or more a step. 3 to 6 times as
// long.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 128;
constexpr int kSteps = 128;
// Two blocks of this fill an SM's shared memory.
constexpr int kReservedBytes = 112 * 1024;
}  // namespace

constexpr int kDeclaredLine = __LINE__ + 1;
extern "C" __global__ void scan_restrict_pointers(const float* __restrict__ in, float* __restrict__ out, int n) {
  const std::size_t channel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float* a = in + channel;
  const float* b = a + static_cast<std::size_t>(kSteps) * n;
  float* to = out + channel;
  float state = 0;
#pragma unroll 8
  for (int step = 0; step < kSteps; ++step, a += n, b += n, to += n) *to = state = fmaf(*a, state, *b);
}
constexpr int kPlainLine = __LINE__ + 1;
extern "C" __global__ void scan_plain_pointers(const float* in, float* out, int n) {
  const std::size_t channel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float* a = in + channel;
  const float* b = a + static_cast<std::size_t>(kSteps) * n;
  float* to = out + channel;
  float state = 0;
#pragma unroll 8
  for (int step = 0; step < kSteps; ++step, a += n, b += n, to += n) *to = state = fmaf(*a, state, *b);
}

namespace culprit {
namespace {

// n channels; a of all steps, then b.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), kReservedBytes}; }

struct Job {
  static constexpr std::size_t kEvery = 211;
  static std::vector<float> Inputs(int n) {
    std::vector<float> values = UniformFloats(2 * static_cast<std::size_t>(kSteps) * n, 1);
    // The factors halve what was there, at least: states stay below 2, and errors do not grow.
    for (std::size_t i = 0; i < static_cast<std::size_t>(kSteps) * n; ++i) values[i] /= 2;
    return values;
  }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(kSteps) * n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    const std::size_t b = static_cast<std::size_t>(kSteps) * n;
    double state = 0;
    for (std::size_t at = i % n; at <= i; at += n) state = double{in[at]} * state + in[b + at];
    return {state, 2 * 2 * kFloatUnit};
  }
};

}  // namespace

PlantedPair ScanRestrictPair() {
  const AlikeKernels both("runs a linear recurrence over 128 steps, a channel a thread", "pointers",
                          "kernels/planted/scan_restrict.cu");
  return {
      .id = "scan_restrict",
      .base = ElementsKernel<Job, ::scan_restrict_pointers, Config>(both, "__restrict__", "scan_restrict_pointers",
                                                                    kDeclaredLine),
      .candidate = ElementsKernel<Job, ::scan_plain_pointers, Config>(both, "plain", "scan_plain_pointers", kPlainLine),
      .sizes = {132 * 256 * 2, 132 * 256 * 4},
      .flop = [](int n) { return 2.0 * kSteps * n; },
      .min_bytes = [](int n) { return 3.0 * sizeof(float) * kSteps * n; }};
}

}  // namespace culprit
