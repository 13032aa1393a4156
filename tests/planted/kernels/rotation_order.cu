// SPDX-License-Identifier: Apache-2.0
// Points turned 1024 times by a small angle. The two coordinates are computed in one order, or in the other.
// Limits on an H100: the FMA pipe, 4 instructions of a cycle a turn for each warp and sub-partition: 32768 warps / 528
// x 4096 cycles = 0.14 ms at 1 Mi points. Both are the same instructions, some in another order.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kTurns = 1024;
constexpr float kCosine = 0.99995f, kSine = 0.0099998f;  // of 0.01, each to 5e-9: the radius stays within 1e-5
}  // namespace

constexpr int kXFirstLine = __LINE__ + 1;
extern "C" __global__ void rotation_x_first(const float2* in, float2* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float2 p = in[i];
#pragma unroll 16
  for (int turn = 0; turn < kTurns; ++turn) {
    const float x = fmaf(kCosine, p.x, -(kSine * p.y));
    const float y = fmaf(kSine, p.x, kCosine * p.y);
    p.x = x;
    p.y = y;
  }
  out[i] = p;
}
constexpr int kYFirstLine = __LINE__ + 1;
extern "C" __global__ void rotation_y_first(const float2* in, float2* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float2 p = in[i];
#pragma unroll 16
  for (int turn = 0; turn < kTurns; ++turn) {
    const float y = fmaf(kSine, p.x, kCosine * p.y);
    const float x = fmaf(kCosine, p.x, -(kSine * p.y));
    p.y = y;
    p.x = x;
  }
  out[i] = p;
}

namespace culprit {
namespace {

// n points, x and y beside each other.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 211;
  static std::vector<float> Inputs(int n) { return UniformFloats(2 * static_cast<std::size_t>(n), 1); }
  static std::size_t Outputs(int n) { return 2 * static_cast<std::size_t>(n); }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    double x = in[i / 2 * 2], y = in[i / 2 * 2 + 1];
    for (int turn = 0; turn < kTurns; ++turn) {
      const double turned = double{kCosine} * x - double{kSine} * y;
      y = double{kSine} * x + double{kCosine} * y;
      x = turned;
    }
    // A turn rounds each coordinate twice, below 2 in magnitude; turning does not let errors grow.
    return {i % 2 == 0 ? x : y, kTurns * 4 * 2 * kFloatUnit};
  }
};

}  // namespace

PlantedPair RotationOrderPair() {
  const AlikeKernels both("turns points 1024 times by a small angle", "computed first",
                          "kernels/planted/rotation_order.cu");
  return {.id = "rotation_order",
          .base = ElementsKernel<Job, ::rotation_x_first, Config>(both, "x", "rotation_x_first", kXFirstLine),
          .candidate = ElementsKernel<Job, ::rotation_y_first, Config>(both, "y", "rotation_y_first", kYFirstLine),
          .sizes = {1 << 19, 1 << 20},
          .flop = [](int n) { return 6.0 * kTurns * n; },
          .min_bytes = [](int n) { return 4.0 * sizeof(float) * n; }};
}

}  // namespace culprit
