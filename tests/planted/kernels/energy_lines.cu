// SPDX-License-Identifier: Apache-2.0
// Potential energy of charges on a line with 64 fixed ones. The same expression stands on few lines, or on many.
// Limits on an H100: the special-function unit, one reciprocal of 8 cycles per fixed charge, warp and sub-partition: 4
// Mi charges in 131072 / 528 x 64 x 8 cycles = 0.07 ms. Both are the same machine code with other source lines.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kFixed = 64;
}  // namespace

constexpr int kFewLine = __LINE__ + 1;
extern "C" __global__ void energy_on_few_lines(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float energy = 0;
  for (int j = 0; j < kFixed; ++j) energy += __fdividef(1.0f, fabsf(in[i] - static_cast<float>(2 + j)));
  out[i] = energy;
}
// clang-format off: where lines break is what differs
constexpr int kManyLine = __LINE__ + 1;
extern "C" __global__ void energy_on_many_lines(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float energy = 0;
  for (int j = 0; j < kFixed; ++j) energy += __fdividef(1.0f, fabsf(in[i] - static_cast<float>(2 + j)));
  out[i] = energy;
}
// clang-format on

namespace culprit {
namespace {

// n charges.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 31;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    double energy = 0;
    for (int j = 0; j < kFixed; ++j) energy += 1 / std::abs(in[i] - (2.0 + j));
    // Each term: half a unit of the difference, 2 ulp of the quotient (CUDA C++ Programming Guide); then the sums.
    return {energy, (1 + 4 + kFixed) * kFloatUnit * energy};
  }
};

}  // namespace

PlantedPair EnergyLinesPair() {
  const AlikeKernels both("adds the energies of a charge with 64 others", "source lines",
                          "kernels/planted/energy_lines.cu");
  return {
      .id = "energy_lines",
      .base = ElementsKernel<Job, ::energy_on_few_lines, Config>(both, "few", "energy_on_few_lines", kFewLine),
      .candidate = ElementsKernel<Job, ::energy_on_many_lines, Config>(both, "many", "energy_on_many_lines", kManyLine),
      .sizes = {4 << 20, 16 << 20},
      .flop = nullptr,
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
