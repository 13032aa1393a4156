// SPDX-License-Identifier: Apache-2.0
// A step of gradient descent with decaying weights and clipped gradients over n weights.
// A  in 16 launches of a 16th each instead of one: 2 us more of ramp, drain and gap for each.
// B  the clipped gradient, the decayed weight and the step are stored, too.
// On an H200 at 4.2 TB/s and 32 million weights: 95 us for 12 bytes each, with B 190 for 24; A 30 to 40 more of either.
// So A is about a quarter; at 8 million, 24 and 48 us, it is more than half.
#include <algorithm>
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kParts = 16;
constexpr int kSaved = 3;  // numbers of a weight
constexpr float kRate = 0.0625f, kLimit = 0.5f, kDecay = 0.9375f;

// `saved` has `stride` floats of each kind.
template <bool kSave>
__device__ __forceinline__ void Step(const float* weights, const float* gradients, float* out, float* saved,
                                     int stride) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float gradient = fminf(fmaxf(gradients[i], -kLimit), kLimit), weight = kDecay * weights[i];
  const float step = kRate * gradient;
  out[i] = weight - step;
  if (kSave) {
    saved[i] = gradient;
    saved[static_cast<std::size_t>(stride) + i] = weight;
    saved[2 * static_cast<std::size_t>(stride) + i] = step;
  }
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    decay_one_launch(const float* weights, const float* gradients, float* out, float* saved, int stride) {
  Step<false>(weights, gradients, out, saved, stride);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    decay_16_launches(const float* weights, const float* gradients, float* out, float* saved, int stride) {
  Step<false>(weights, gradients, out, saved, stride);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    decay_one_launch_saved(const float* weights, const float* gradients, float* out, float* saved, int stride) {
  Step<true>(weights, gradients, out, saved, stride);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    decay_16_launches_saved(const float* weights, const float* gradients, float* out, float* saved, int stride) {
  Step<true>(weights, gradients, out, saved, stride);
}

namespace culprit {
namespace {

// n is a multiple of kParts blocks.
template <int kLaunches>
LaunchConfig Config(int n) {
  return {dim3(n / kLaunches / kThreads), dim3(kThreads), 0};
}

template <auto* kKernel, int kLaunches, bool kSave>
PlantedRun Make(int n) {
  const auto saved = std::make_shared<DeviceMemory>(kSave ? kSaved * sizeof(float) * n : sizeof(float));
  const auto launch = [=](cudaStream_t stream, const float* in, float* out) {
    for (int first = 0; first < n; first += n / kLaunches)
      EnqueuePlanted(kKernel, Config<kLaunches>(n), stream, in + first, in + n + first, out + first,
                     saved->As<float>() + (kSave ? first : 0), n);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t i) -> Wanted {
    const double step = kRate * std::clamp(double{in[n + i]}, -double{kLimit}, double{kLimit});
    return {kDecay * in[i] - step, 3 * kFloatUnit};  // two products and a difference below 1
  };
  return PerElementRun(UniformFloats(2 * static_cast<std::size_t>(n), 1), n, 61, launch, wanted);
}

}  // namespace

PlantedMixture DecayLaunchesSavedMixture() {
  const MixedKernels four("steps weights against their clipped gradients", "launches", "intermediates",
                          "kernels/planted/decay_launches_saved.cu");
  return {.id = "decay_launches_saved",
          .base = four.With("1", "none", "decay_one_launch", kBaseLine, ::decay_one_launch, Config<1>,
                            Make<::decay_one_launch, 1, false>),
          .a = four.With("16", "none", "decay_16_launches", kALine, ::decay_16_launches, Config<kParts>,
                         Make<::decay_16_launches, kParts, false>),
          .b = four.With("1", "3 stored", "decay_one_launch_saved", kBLine, ::decay_one_launch_saved, Config<1>,
                         Make<::decay_one_launch_saved, 1, true>),
          .both = four.With("16", "3 stored", "decay_16_launches_saved", kBothLine, ::decay_16_launches_saved,
                            Config<kParts>, Make<::decay_16_launches_saved, kParts, true>),
          .sizes = {1 << 23, 1 << 25},
          .flop = nullptr,
          .min_bytes = [](int n) { return 3.0 * sizeof(float) * n; }};
}

}  // namespace culprit
