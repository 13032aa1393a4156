// SPDX-License-Identifier: Apache-2.0
// How soon the orbits of random points escape. The kernel is compiled with the pair, or from a file of its own.
// Limits on an H100: an eleventh of the points never escapes, so each warp goes all 512 steps: some 12 instructions
// each, 65536 warps / 528 x 512 x 12 cycles = 0.45 ms at 2 Mi points. Both are the same machine code.
#include "tests/planted/kernels/job.h"
#include "tests/planted/kernels/orbit.h"

constexpr int kHereLine = __LINE__ + 1;
extern "C" __global__ void orbit_in_one_file(const float2* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * culprit::kOrbitThreads + threadIdx.x;
  out[i] = culprit::Orbit(in[i]);
}

namespace culprit {
namespace {

constexpr int kOtherLine = 4;  // of orbit_other_file.cu

// n points.
LaunchConfig Config(int n) { return {dim3(n / kOrbitThreads), dim3(kOrbitThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 211;
  static std::vector<float> Inputs(int n) { return UniformFloats(2 * static_cast<std::size_t>(n), 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) { return {Orbit({in[2 * i], in[2 * i + 1]})}; }
};

}  // namespace

PlantedPair OrbitUnitPair() {
  const char* idea = "counts the steps after which orbits escape";
  const AlikeKernels here(idea, "compiled", "kernels/planted/orbit_unit.cu");
  const AlikeKernels there(idea, "compiled", "kernels/planted/orbit_other_file.cu");
  return {
      .id = "orbit_unit",
      .base = ElementsKernel<Job, ::orbit_in_one_file, Config>(here, "with the pair", "orbit_in_one_file", kHereLine),
      .candidate =
          ElementsKernel<Job, ::orbit_in_another_file, Config>(there, "by itself", "orbit_in_another_file", kOtherLine),
      .sizes = {1 << 20, 2 << 20},
      .flop = nullptr,
      .min_bytes = [](int n) { return 3.0 * sizeof(float) * n; }};
}

}  // namespace culprit
