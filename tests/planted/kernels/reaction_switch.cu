// SPDX-License-Identifier: Apache-2.0
// Concentrations under one of four rate laws, 512 steps of 1 to 3 instructions in a loop of each law's own. Substances
// of a law come in runs of 32. A warp that takes a run executes one loop, 2 instructions a step on average, at the FMA
// limit; a warp that takes 8 of each of four runs (a 32-byte sector each) executes all four: 8 instructions a step.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kRun = 32;  // substances under one law in a row
constexpr int kLaws = 4;
constexpr int kSteps = 512;
constexpr float kRate = 0.00390625f;

// Thread t of the grid takes a substance of its group of 128. Sectors: lanes 8 k to 8 k + 7 take one from run k.
template <bool kSectors>
__device__ int SubstanceOf(int t) {
  if constexpr (!kSectors) return t;
  const int group = t / (kLaws * kRun) * (kLaws * kRun), warp = t / 32 % kLaws, lane = t % 32;
  return group + lane / 8 * kRun + warp * 8 + lane % 8;
}

template <bool kSectors>
__device__ void React(const float* in, float* out) {
  const int i = SubstanceOf<kSectors>(static_cast<int>(blockIdx.x * kThreads + threadIdx.x));
  float c = fmaf(0.25f, in[i], 0.5f);
  switch (i / kRun % kLaws) {
    case 0:
#pragma unroll 16
      for (int step = 0; step < kSteps; ++step) c = fmaf(-kRate, c, c);
      break;
    case 1:
#pragma unroll 16
      for (int step = 0; step < kSteps; ++step) c = fmaf(-kRate, c * c, c);
      break;
    case 2:
#pragma unroll 16
      for (int step = 0; step < kSteps; ++step) c = fmaf(-kRate, c * c * c, c);
      break;
    default:
#pragma unroll 16
      for (int step = 0; step < kSteps; ++step) c = fmaf(kRate, fmaf(-c, c, c), c);
      break;
  }
  out[i] = c;
}
}  // namespace

constexpr int kRunsLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) reaction_runs(const float* in, float* out) {
  React<false>(in, out);
}
constexpr int kSectorsLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) reaction_sectors(const float* in, float* out) {
  React<true>(in, out);
}

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
    double c = 0.25 * in[i] + 0.5;
    const int law = static_cast<int>(i / kRun % kLaws);
    for (int step = 0; step < kSteps; ++step)
      c += kRate * (law == 0 ? -c : law == 1 ? -c * c : law == 2 ? -c * c * c : c - c * c);
    // c stays in (0, 1). Decay shrinks deviations; the fourth law, logistic growth from [1/4, 3/4], grows them at most
    // (1/4) / (3/16) times. A step's result is rounded once, its small increment a few times more.
    return {c, 1.4 * 2 * kSteps * kFloatUnit};
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair ReactionSwitchPair() {
  const AlikeKernels both("integrates concentrations under one of four rate laws", "substances of a warp",
                          "kernels/planted/reaction_switch.cu");
  return {
      .id = "reaction_switch",
      .base = both.With("one run of 32", "reaction_runs", kRunsLine, ::reaction_runs, Config, Make<::reaction_runs>),
      .candidate = both.With("8 of four runs", "reaction_sectors", kSectorsLine, ::reaction_sectors, Config,
                             Make<::reaction_sectors>),
      .sizes = {1 << 21, 1 << 23},
      .flop = nullptr,
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
