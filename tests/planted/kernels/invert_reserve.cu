// SPDX-License-Identifier: Apache-2.0
// 1 / (2 + x), four values a thread, in blocks of 512 threads that reserve 16 KB of shared memory or 32 KB.
// Limits on an H100: device memory in both, 8 bytes a value: 0.27 GB in 0.09 ms at 32 Mi. Four blocks fill an SM's 64
// warps and reserve 132 KB of its 228 at most; the L1 that is left holds nothing that is read twice.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 512;

__device__ void Invert(const float4* in, float4* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float4 x = in[i];
  out[i] = {1 / (2 + x.x), 1 / (2 + x.y), 1 / (2 + x.z), 1 / (2 + x.w)};
}
}  // namespace

constexpr int k16Line = __LINE__ + 1;
extern "C" __global__ void invert_reserve_16k(const float4* in, float4* out) { Invert(in, out); }
constexpr int k32Line = __LINE__ + 1;
extern "C" __global__ void invert_reserve_32k(const float4* in, float4* out) { Invert(in, out); }

namespace culprit {
namespace {

// n values, a multiple of what a block takes.
template <int kKilobytes>
LaunchConfig Config(int n) {
  return {dim3(n / (4 * kThreads)), dim3(kThreads), kKilobytes * 1024};
}

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    const double inverse = 1 / (2.0 + in[i]);
    return {inverse, 4 * kFloatUnit * inverse};  // the sum and the quotient round
  }
};

}  // namespace

PlantedPair InvertReservePair() {
  const AlikeKernels both("inverts 2 + x", "reserved shared memory", "kernels/planted/invert_reserve.cu");
  return {
      .id = "invert_reserve",
      .base = ElementsKernel<Job, ::invert_reserve_16k, Config<16>>(both, "16 KB", "invert_reserve_16k", k16Line),
      .candidate = ElementsKernel<Job, ::invert_reserve_32k, Config<32>>(both, "32 KB", "invert_reserve_32k", k32Line),
      .sizes = {16 << 20, 32 << 20},
      .flop = [](int n) { return 2.0 * n; },
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
