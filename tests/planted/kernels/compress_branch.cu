// SPDX-License-Identifier: Apache-2.0
// A compressor: a value above a limit is replaced by the limit and e / (1 + 4 e) of its excess e, one value in 64. All
// lanes compute it and select, or those that need it branch.
// Limits on an H100: device memory in both, 8 bytes a value: 0.27 GB in 0.09 ms at 32 Mi. 40 % of the warps take the
// branch with a lane or two, for some 10 instructions, while other warps load.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr float kLimit = 0.96875f;  // 1 - 1/32: a 64th of [-1, 1)

__device__ float Compressed(float value) {
  const float excess = value - kLimit;
  return kLimit + __fdividef(excess, fmaf(4.0f, excess, 1.0f));
}
}  // namespace

constexpr int kSelectLine = __LINE__ + 1;
extern "C" __global__ void compress_by_selection(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float value = in[i], compressed = Compressed(value);
  out[i] = value > kLimit ? compressed : value;
}
constexpr int kBranchLine = __LINE__ + 1;
extern "C" __global__ void compress_by_branch(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float value = in[i];
  if (value > kLimit) {
    asm volatile("");  // keeps the compiler from computing it for all
    value = Compressed(value);
  }
  out[i] = value;
}

namespace culprit {
namespace {

LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    if (in[i] <= kLimit) return {in[i]};
    const double excess = double{in[i]} - kLimit;
    return {kLimit + excess / (1 + 4 * excess), 2 * kFloatUnit};  // the sum's rounding; a quotient below 1/32 adds less
  }
};

}  // namespace

PlantedPair CompressBranchPair() {
  const AlikeKernels both("compresses values above a limit", "choice", "kernels/planted/compress_branch.cu");
  return {
      .id = "compress_branch",
      .base =
          ElementsKernel<Job, ::compress_by_selection, Config>(both, "selection", "compress_by_selection", kSelectLine),
      .candidate = ElementsKernel<Job, ::compress_by_branch, Config>(both, "branch", "compress_by_branch", kBranchLine),
      .sizes = {16 << 20, 32 << 20},
      .flop = nullptr,
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
