// SPDX-License-Identifier: Apache-2.0
// A gradient step with clipping over n weights: 12 bytes of traffic per weight, limited by memory. In one launch that
// is some 60 us for 16 million on an H100. In 32 launches of a 32nd each it is 2 us of work, a ramp and a drain 32
// times.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kParts = 32;
constexpr float kRate = 0.0625f, kLimit = 0.5f;

__device__ void Step(const float* weights, const float* gradients, float* out) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  out[i] = fmaf(-kRate, fminf(fmaxf(gradients[i], -kLimit), kLimit), weights[i]);
}
}  // namespace

constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    clip_one_launch(const float* weights, const float* gradients, float* out) {
  Step(weights, gradients, out);
}
constexpr int kManyLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    clip_32_launches(const float* weights, const float* gradients, float* out) {
  Step(weights, gradients, out);
}

namespace culprit {
namespace {

// n is a multiple of kParts blocks.
template <int kLaunches>
LaunchConfig Config(int n) {
  return {dim3(n / kLaunches / kThreads), dim3(kThreads), 0};
}

template <auto* kKernel, int kLaunches>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    for (int first = 0; first < n; first += n / kLaunches)
      EnqueuePlanted(kKernel, Config<kLaunches>(n), stream, in + first, in + n + first, out + first);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t i) -> Wanted {
    const double gradient = std::fmin(std::fmax(in[n + i], -kLimit), kLimit);
    const double value = in[i] - kRate * gradient;
    return {value, 1.01 * kFloatUnit * std::abs(value)};
  };
  return PerElementRun(UniformFloats(2 * static_cast<std::size_t>(n), 1), n, 7, launch, wanted);
}

}  // namespace

PlantedPair ClipLaunchesPair() {
  const AlikeKernels both("subtracts clipped gradients from weights", "launches", "kernels/planted/clip_launches.cu");
  return {.id = "clip_launches",
          .base = both.With("1", "clip_one_launch", kOneLine, ::clip_one_launch, Config<1>, Make<::clip_one_launch, 1>),
          .candidate = both.With("32", "clip_32_launches", kManyLine, ::clip_32_launches, Config<kParts>,
                                 Make<::clip_32_launches, kParts>),
          .sizes = {1 << 23, 1 << 24},
          .flop = nullptr,
          .min_bytes = [](int n) { return 3.0 * sizeof(float) * n; }};
}

}  // namespace culprit
