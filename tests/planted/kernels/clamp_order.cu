// SPDX-License-Identifier: Apache-2.0
// Clamps values to [-1/2, 1/2], one element a thread. The parameters stand in one order, or in another.
// Limits on an H100: device memory, 8 bytes an element: 0.27 GB in 0.09 ms at 32 Mi. The machine code differs in where
// it finds its parameters in constant memory.
#include <algorithm>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr float kLimit = 0.5f;

__device__ void Clamp(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i < n) out[i] = fminf(fmaxf(in[i], -kLimit), kLimit);
}
}  // namespace

constexpr int kInFirstLine = __LINE__ + 1;
extern "C" __global__ void clamp_in_out_count(const float* in, float* out, int n) { Clamp(in, out, n); }
constexpr int kCountFirstLine = __LINE__ + 1;
extern "C" __global__ void clamp_count_out_in(int n, float* out, const float* in) { Clamp(in, out, n); }

namespace culprit {
namespace {

LaunchConfig Config(int n) { return {dim3(Tiles(n, kThreads)), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) { return {std::clamp(in[i], -kLimit, kLimit)}; }
};

}  // namespace

PlantedPair ClampOrderPair() {
  const AlikeKernels both("clamps values to a range", "order of the parameters", "kernels/planted/clamp_order.cu");
  return {.id = "clamp_order",
          .base = ElementsKernel<Job, ::clamp_in_out_count, Config>(both, "in, out, count", "clamp_in_out_count",
                                                                    kInFirstLine),
          .candidate = ElementsKernel<Job, ::clamp_count_out_in, Config>(both, "count, out, in", "clamp_count_out_in",
                                                                         kCountFirstLine),
          .sizes = {16 << 20, 32 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
