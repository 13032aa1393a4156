// SPDX-License-Identifier: Apache-2.0
// Four springs per thread in double precision, 256 steps of two fused operations each. A checksum of the steps is kept
// in passing, or none.
// Limits on an H100: the FP64 pipe, 8 instructions of 2 cycles a step, warp and sub-partition: 16384 warps / 528 x 256
// x 16 cycles = 0.07 ms at 512 Ki threads. The checksum, a xorshift generator, adds 6 integer instructions a step,
// which issue in between: 14 of 16 slots.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kSteps = 256;
constexpr int kSprings = 4;
constexpr double kStep = 0.03125, kStiffness = 1.5;

template <bool kSums>
__device__ void Swing(const float4* in, float4* out) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const float4 start = in[thread];
  double x[kSprings] = {start.x, start.y, start.z, start.w}, v[kSprings] = {};
  unsigned sum = thread | 1;
#pragma unroll 4
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int i = 0; i < kSprings; ++i) v[i] = fma(-kStep * kStiffness, x[i], v[i]);
#pragma unroll
    for (int i = 0; i < kSprings; ++i) x[i] = fma(kStep, v[i], x[i]);
    if (kSums) {
      sum ^= sum << 13;
      sum ^= sum >> 17;
      sum ^= sum << 5;
    }
  }
  // Never: the generator permutes what is not 0. The compiler does not know.
  if (kSums && sum == 0) x[0] = 0;
  out[thread] = {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]),
                 static_cast<float>(x[3])};
}
}  // namespace

constexpr int kPlainLine = __LINE__ + 1;
extern "C" __global__ void spring_plain(const float4* in, float4* out) { Swing<false>(in, out); }
constexpr int kChecksumLine = __LINE__ + 1;
extern "C" __global__ void spring_checksum(const float4* in, float4* out) { Swing<true>(in, out); }

namespace culprit {
namespace {

// n springs.
LaunchConfig Config(int n) { return {dim3(n / (kSprings * kThreads)), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 211;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    double x = in[i], v = 0;
    for (int step = 0; step < kSteps; ++step) {
      v = std::fma(-kStep * kStiffness, x, v);
      x = std::fma(kStep, v, x);
    }
    return {x, 2 * kFloatUnit};  // the rounding to float, of a value below 2
  }
};

}  // namespace

PlantedPair SpringChecksumPair() {
  const AlikeKernels both("moves springs by 256 steps in double precision", "checksum",
                          "kernels/planted/spring_checksum.cu");
  return {
      .id = "spring_checksum",
      .base = ElementsKernel<Job, ::spring_plain, Config>(both, "none", "spring_plain", kPlainLine),
      .candidate = ElementsKernel<Job, ::spring_checksum, Config>(both, "of steps", "spring_checksum", kChecksumLine),
      .sizes = {2 << 20, 8 << 20},
      .flop = [](int n) { return 4.0 * kSteps * n; },
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
