// SPDX-License-Identifier: Apache-2.0
// y + a x, four elements a thread, under two names.
// Limits on an H100: device memory, 12 bytes an element: 0.4 GB in 0.12 ms at 32 Mi. Both are the same machine code.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr float kFactor = 0.75f;

__device__ void Axpy(const float4* in, float4* out, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float4 x = in[i], y = in[n / 4 + i];
  out[i] = {fmaf(kFactor, x.x, y.x), fmaf(kFactor, x.y, y.y), fmaf(kFactor, x.z, y.z), fmaf(kFactor, x.w, y.w)};
}
}  // namespace

constexpr int kUpdateLine = __LINE__ + 1;
extern "C" __global__ void axpy_update(const float4* in, float4* out, int n) { Axpy(in, out, n); }
constexpr int kApplyLine = __LINE__ + 1;
extern "C" __global__ void axpy_apply_to_all_elements(const float4* in, float4* out, int n) { Axpy(in, out, n); }

namespace culprit {
namespace {

// n elements, a multiple of what a block takes; x, then y.
LaunchConfig Config(int n) { return {dim3(n / (4 * kThreads)), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(2 * static_cast<std::size_t>(n), 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    return {double{kFactor} * in[i] + in[n + i], 2 * kFloatUnit};
  }
};

}  // namespace

PlantedPair AxpyNamePair() {
  const AlikeKernels both("adds a multiple of one vector to another", "name", "kernels/planted/axpy_name.cu");
  return {.id = "axpy_name",
          .base = ElementsKernel<Job, ::axpy_update, Config>(both, "short", "axpy_update", kUpdateLine),
          .candidate = ElementsKernel<Job, ::axpy_apply_to_all_elements, Config>(
              both, "long", "axpy_apply_to_all_elements", kApplyLine),
          .sizes = {16 << 20, 32 << 20},
          .flop = [](int n) { return 2.0 * n; },
          .min_bytes = [](int n) { return 3.0 * sizeof(float) * n; }};
}

}  // namespace culprit
