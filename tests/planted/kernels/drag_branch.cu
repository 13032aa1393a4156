// SPDX-License-Identifier: Apache-2.0
// Falling bodies with linear or quadratic drag: 256 steps of 2 or 4 instructions in a loop of each kind's own. Bodies
// of a kind come in runs of 32. A warp that takes a run executes one loop, at the FMA limit; a warp that takes half of
// two runs (64 bytes of each: the same sectors) executes both, 6 instructions a step instead of 3 on average.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kRun = 32;  // bodies of one kind in a row
constexpr int kSteps = 256;
constexpr float kStep = 0.015625f, kGravity = 9.8125f, kLinear = 0.25f, kQuadratic = 0.0625f;

// Thread t of the grid takes a body of its group of 64. Runs: the t-th. Halves: even lanes take one from the first run,
// odd lanes one from the second.
template <bool kHalves>
__device__ int BodyOf(int t) {
  if constexpr (!kHalves) return t;
  const int group = t / (2 * kRun) * (2 * kRun), place = t % (2 * kRun);
  return group + place % 2 * kRun + place / 2;
}

template <bool kHalves>
__device__ void Fall(const float* in, float* out) {
  const int i = BodyOf<kHalves>(static_cast<int>(blockIdx.x * kThreads + threadIdx.x));
  float v = 16 * in[i], x = 0;
  if (i / kRun % 2 == 0) {
#pragma unroll 8
    for (int step = 0; step < kSteps; ++step) {
      v = fmaf(v, 1 - kStep * kLinear, -kStep * kGravity);
      x = fmaf(kStep, v, x);
    }
  } else {
#pragma unroll 8
    for (int step = 0; step < kSteps; ++step) {
      v += fmaf(-kStep * kQuadratic, v * fabsf(v), -kStep * kGravity);
      x = fmaf(kStep, v, x);
    }
  }
  out[i] = x;
}
}  // namespace

constexpr int kRunsLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) drag_runs(const float* in, float* out) { Fall<false>(in, out); }
constexpr int kHalvesLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) drag_halves(const float* in, float* out) { Fall<true>(in, out); }

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    double v = 16.0 * in[i], x = 0;
    const bool linear = i / kRun % 2 == 0;
    for (int step = 0; step < kSteps; ++step) {
      v += linear ? -kStep * double{kLinear} * v - double{kStep} * kGravity
                  : -kStep * double{kQuadratic} * v * std::abs(v) - double{kStep} * kGravity;
      x += kStep * v;
    }
    // Both drags shrink deviations of v. |v| stays below 40 and |x| below 160: a step adds less than 3 * 40 units to v,
    // which x sums up over 256 steps of 1/64 s, and 160 units to x.
    return {x, kSteps * (3 * 40 * kSteps * kStep + 160) * kFloatUnit};
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair DragBranchPair() {
  const AlikeKernels both("integrates falling bodies with one of two kinds of drag", "bodies of a warp",
                          "kernels/planted/drag_branch.cu");
  return {.id = "drag_branch",
          .base = both.With("one run of 32", "drag_runs", kRunsLine, ::drag_runs, Config, Make<::drag_runs>),
          .candidate =
              both.With("half of two runs", "drag_halves", kHalvesLine, ::drag_halves, Config, Make<::drag_halves>),
          .sizes = {1 << 21, 1 << 23},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
