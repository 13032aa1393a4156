// SPDX-License-Identifier: Apache-2.0
// Adds an offset to a short vector. Locals are const, or not.
// Limits on an H100: what every launch takes, 2 to 4 us; the data, a megabyte, stay in L2. Both are the same machine
// code.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 128;
constexpr float kOffset = 0.25f;
}  // namespace

constexpr int kConstLine = __LINE__ + 1;
extern "C" __global__ void offset_const_locals(const float* in, float* out) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float value = in[i];
  const float moved = value + kOffset;
  out[i] = moved;
}
constexpr int kReusedLine = __LINE__ + 1;
extern "C" __global__ void offset_reused_local(const float* in, float* out) {
  unsigned i = blockIdx.x * kThreads;
  i += threadIdx.x;
  float value = in[i];
  value += kOffset;
  out[i] = value;
}

namespace culprit {
namespace {

LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 1;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    return {double{in[i]} + kOffset, 2 * kFloatUnit};
  }
};

}  // namespace

PlantedPair OffsetConstPair() {
  const AlikeKernels both("adds an offset to a short vector", "locals", "kernels/planted/offset_const.cu");
  return {.id = "offset_const",
          .base = ElementsKernel<Job, ::offset_const_locals, Config>(both, "const", "offset_const_locals", kConstLine),
          .candidate =
              ElementsKernel<Job, ::offset_reused_local, Config>(both, "reused", "offset_reused_local", kReusedLine),
          .sizes = {1 << 16, 1 << 18},
          .flop = [](int n) { return 1.0 * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
