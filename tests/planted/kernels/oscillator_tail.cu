// SPDX-License-Identifier: Apache-2.0
// Damped oscillators, 64 steps of 3 FMAs each, all at the FMA limit. Two blocks of 1024 threads fit an SM, so 132 SMs
// take 264 at a time: 264 blocks are one wave. 288 blocks of 11/12 of the work are a wave and a second one of 24 blocks
// that leaves 108 SMs idle; a block alone on its SM takes half the time of two: (1 + 1/2) * 11/12 = 1.375 of the time.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 1024;
constexpr int kBlocksPerSm = 2;
constexpr int kSms = 132;  // of an H100 SXM
constexpr int kWholeWave = kBlocksPerSm * kSms;
constexpr int kWaveAndTail = 288;
constexpr int kSteps = 64;
// Both grids deal out this many oscillators evenly.
constexpr int kUnit = 3168 * kThreads;
static_assert(kUnit % (kWholeWave * kThreads) == 0 && kUnit % (kWaveAndTail * kThreads) == 0);
constexpr float kStep = 0.03125f, kStiffness = 1.5f, kDamping = 0.125f;

__device__ void Integrate(const float* in, float* out, int n) {
  const int threads = static_cast<int>(gridDim.x) * kThreads;
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < n; i += threads) {
    float x = in[i], v = 0;
#pragma unroll 16
    for (int step = 0; step < kSteps; ++step) {
      v = fmaf(-kStep * kDamping, v, v);
      v = fmaf(-kStep * kStiffness, x, v);
      x = fmaf(kStep, v, x);
    }
    out[i] = x;
  }
}
}  // namespace

constexpr int kWholeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    oscillator_264_blocks(const float* in, float* out, int n) {
  Integrate(in, out, n);
}
constexpr int kTailLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    oscillator_288_blocks(const float* in, float* out, int n) {
  Integrate(in, out, n);
}

namespace culprit {
namespace {

// n is a multiple of kUnit.
template <int kBlocks>
LaunchConfig Config(int) {
  return {dim3(kBlocks), dim3(kThreads), 0};
}

template <auto* kKernel, int kBlocks>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config<kBlocks>(n), stream, in, out, n);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    double x = in[i], v = 0;
    for (int step = 0; step < kSteps; ++step) {
      v -= double{kStep} * kDamping * v;
      v -= double{kStep} * kStiffness * x;
      x += kStep * v;
    }
    // |x| and |v| stay below 2, so a step's three roundings add less than 6 units. The damped system does not grow
    // what was added; its two components convert at a ratio of at most sqrt(stiffness) < 2.
    return {x, 2 * 6 * kSteps * kFloatUnit};
  };
  return PerElementRun(UniformFloats(n, 1), n, 13, launch, wanted);
}

}  // namespace

PlantedPair OscillatorTailPair() {
  const AlikeKernels both("each thread integrates damped oscillators one after the other", "grid",
                          "kernels/planted/oscillator_tail.cu");
  return {.id = "oscillator_tail",
          .base = both.With("264 blocks", "oscillator_264_blocks", kWholeLine, ::oscillator_264_blocks,
                            Config<kWholeWave>, Make<::oscillator_264_blocks, kWholeWave>),
          .candidate = both.With("288 blocks", "oscillator_288_blocks", kTailLine, ::oscillator_288_blocks,
                                 Config<kWaveAndTail>, Make<::oscillator_288_blocks, kWaveAndTail>),
          .sizes = {kUnit, 4 * kUnit},
          .flop = [](int n) { return 6.0 * kSteps * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
