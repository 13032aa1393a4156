// SPDX-License-Identifier: Apache-2.0
// Changes the sign of values, four a thread, in blocks of 256 threads or of 512.
// Limits on an H100: device memory in both, 8 bytes a value: 0.27 GB in 0.09 ms at 32 Mi. An SM holds 64 warps either
// way.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
template <int kThreads>
__device__ void Negate(const float4* in, float4* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float4 value = in[i];
  out[i] = {-value.x, -value.y, -value.z, -value.w};
}
}  // namespace

constexpr int k256Line = __LINE__ + 1;
extern "C" __global__ void negate_blocks_of_256(const float4* in, float4* out) { Negate<256>(in, out); }
constexpr int k512Line = __LINE__ + 1;
extern "C" __global__ void negate_blocks_of_512(const float4* in, float4* out) { Negate<512>(in, out); }

namespace culprit {
namespace {

// n values, a multiple of what a block takes.
template <int kThreads>
LaunchConfig Config(int n) {
  return {dim3(n / (4 * kThreads)), dim3(kThreads), 0};
}

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) { return {-in[i]}; }
};

}  // namespace

PlantedPair NegateBlockPair() {
  const AlikeKernels both("changes the sign of values", "threads of a block", "kernels/planted/negate_block.cu");
  return {
      .id = "negate_block",
      .base = ElementsKernel<Job, ::negate_blocks_of_256, Config<256>>(both, "256", "negate_blocks_of_256", k256Line),
      .candidate =
          ElementsKernel<Job, ::negate_blocks_of_512, Config<512>>(both, "512", "negate_blocks_of_512", k512Line),
      .sizes = {16 << 20, 32 << 20},
      .flop = nullptr,
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
