// SPDX-License-Identifier: Apache-2.0
// A bank of recursive filters of order 8, one thread a filter, over one signal; the last 8 outputs are in a ring.
// Ring positions known when compiling: 10 instructions a step, so the issue slots limit: 10 cycles a warp and step.
// Positions rotated by an argument: the ring is memory, 9 accesses a step at 4 cycles of a quarter of an SM, 36 cycles.
// The rotation is 0 in both; only a compiler that knew it could keep the ring in registers.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kOrder = 8;
constexpr int kSteps = 256;
constexpr int kThreads = 256;

// out[f] = sum of the squares of y[n] = x[n] + sum over j of a[j][f] y[n - j], j in 1..8.
__device__ __forceinline__ void Filter(const float* x, const float* a, float* out, int filters, int rotation) {
  const int filter = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float weight[kOrder], ring[kOrder];
#pragma unroll
  for (int j = 0; j < kOrder; ++j) {
    weight[j] = a[static_cast<std::size_t>(j) * filters + filter];
    ring[static_cast<unsigned>(j + rotation) % kOrder] = 0;
  }
  float energy = 0;
#pragma unroll 1
  for (int n = 0; n < kSteps; n += kOrder) {
#pragma unroll
    for (int i = 0; i < kOrder; ++i) {
      float y = x[n + i];
      // The oldest first: only the last product waits for the step before.
#pragma unroll
      for (int j = kOrder; j > 0; --j)
        y += weight[j - 1] * ring[static_cast<unsigned>(i - j + kOrder + rotation) % kOrder];
      ring[static_cast<unsigned>(i + rotation) % kOrder] = y;
      energy += y * y;
    }
  }
  out[filter] = energy;
}
}  // namespace

constexpr int kFixedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    filter_ring_fixed(const float* x, const float* a, float* out, int filters, int) {
  Filter(x, a, out, filters, 0);
}
constexpr int kRotatedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    filter_ring_rotated(const float* x, const float* a, float* out, int filters, int rotation) {
  Filter(x, a, out, filters, rotation);
}

namespace culprit {
namespace {

// `filters` is a multiple of the block.
LaunchConfig Config(int filters) { return {dim3(static_cast<unsigned>(filters) / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int filters) {
  const auto x = std::make_shared<std::vector<float>>(UniformFloats(kSteps, 1));
  const auto a = std::make_shared<std::vector<float>>(UniformFloats(static_cast<std::size_t>(filters) * kOrder, 2));
  // The absolute weights sum to less than 1/2: outputs stay below 2 and errors do not grow.
  for (float& weight : *a) weight /= 2 * kOrder;
  const auto signal = Uploaded(*x), weights = Uploaded(*a);
  const auto out = std::make_shared<DeviceMemory>(filters * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(filters), stream, signal->As<float>(), weights->As<float>(), out->As<float>(),
                   filters, 0);
  };
  run.check = [=, launch = run.launch] {
    const std::vector<std::size_t> where = SpreadIndices(filters, 20'000);
    std::vector<double> wanted, bound;
    for (const std::size_t f : where) {
      double y[kSteps], energy = 0;
      for (int n = 0; n < kSteps; ++n) {
        y[n] = (*x)[n];
        for (int j = 1; j <= std::min(n, kOrder); ++j)
          y[n] += (*a)[static_cast<std::size_t>(j - 1) * filters + f] * y[n - j];
        energy += y[n] * y[n];
      }
      wanted.push_back(energy);
      // A step adds 8 roundings of terms below 2 and passes on at most half of the errors before: 2 * 8 * 2 * 2^-24 in
      // each y, twice |y| < 2 of that in its square; the sum adds kSteps roundings of itself.
      bound.push_back(kSteps * (2 * 2 * 32 + energy) * kFloatUnit);
    }
    return CheckFloatsAt({launch, {}}, out->As<float>(), filters, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair FilterBankRingPair() {
  const AlikeKernels both("runs a recursive filter of order 8 in each thread, whose last outputs are in a ring",
                          "ring index", "kernels/planted/filter_bank_ring.cu");
  return {.id = "filter_bank_ring",
          .base = both.With("known when compiling", "filter_ring_fixed", kFixedLine, ::filter_ring_fixed, Config,
                            Make<::filter_ring_fixed>),
          .candidate = both.With("an argument", "filter_ring_rotated", kRotatedLine, ::filter_ring_rotated, Config,
                                 Make<::filter_ring_rotated>),
          .sizes = {1 << 19, 1 << 21},
          .flop = [](int filters) { return 2.0 * (kOrder + 1) * kSteps * filters; },
          .min_bytes = [](int filters) { return 1.0 * sizeof(float) * (kOrder + 1) * filters; }};
}

}  // namespace culprit
