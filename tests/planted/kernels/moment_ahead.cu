// SPDX-License-Identifier: Apache-2.0
// Sums of cubes of stretches of a vector, one block each. A thread loads two times four values before it uses the
// first, or eight times four.
// Limits on an H100 with half of its warps, which both reserve shared memory for: two loads of 32 warps keep 32 KB in
// flight per SM, so device memory limits: 0.27 GB in 0.09 ms at 64 Mi values. Eight loads take some 24 registers more,
// and half of the SM's warps may have 64 each.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kStretch = 16384;  // floats of a block
constexpr int kBlocksPerSm = 4;
// As many blocks (32 warps) of this and the system's 1 KB each are the 228 KB of an SM.
constexpr int kReservedBytes = 56 * 1024;

__device__ float Cubes(float4 v, float sum) {
  return fmaf(v.x * v.x, v.x, fmaf(v.y * v.y, v.y, fmaf(v.z * v.z, v.z, fmaf(v.w * v.w, v.w, sum))));
}

template <int kInFlight>
__device__ void SumCubes(const float4* in, float* out) {
  const float4* x = in + static_cast<std::size_t>(blockIdx.x) * (kStretch / 4) + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < kStretch / 4; i += kInFlight * kThreads) {
    float4 value[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) value[j] = x[i + j * kThreads];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) sum = Cubes(value[j], sum);
  }
  sum = culprit::BlockSum<kThreads>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
}  // namespace

constexpr int kFewerLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm) moment_2_quads(const float4* in, float* out) {
  SumCubes<2>(in, out);
}
constexpr int kMoreLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm) moment_8_quads(const float4* in, float* out) {
  SumCubes<8>(in, out);
}

namespace culprit {
namespace {

// A vector of n floats, a multiple of a block's stretch.
LaunchConfig Config(int n) { return {dim3(n / kStretch), dim3(kThreads), kReservedBytes}; }

struct Job {
  static constexpr std::size_t kEvery = 1;
  static std::vector<float> Inputs(int n) { return UniformFloats(n, 1); }
  static std::size_t Outputs(int n) { return n / kStretch; }
  static Wanted Want(const std::vector<float>& in, std::size_t block, int) {
    Wanted w;
    for (std::size_t i = 0; i < kStretch; ++i) {
      const double x = in[block * kStretch + i];
      w.value += x * x * x;
      // The square rounds; a thread adds 64 values one after the other; 5 + 7 additions join the threads.
      w.bound += (1 + kStretch / kThreads + 5 + 7) * kFloatUnit * std::abs(x * x * x);
    }
    return w;
  }
};

}  // namespace

PlantedPair MomentAheadPair() {
  const AlikeKernels both("adds the cubes of a vector, a stretch of 64 KB per block", "loads before a use",
                          "kernels/planted/moment_ahead.cu");
  return {.id = "moment_ahead",
          .base = ElementsKernel<Job, ::moment_2_quads, Config>(both, "2", "moment_2_quads", kFewerLine),
          .candidate = ElementsKernel<Job, ::moment_8_quads, Config>(both, "8", "moment_8_quads", kMoreLine),
          .sizes = {32 << 20, 64 << 20},
          .flop = [](int n) { return 3.0 * n; },
          .min_bytes = [](int n) { return sizeof(float) * static_cast<double>(n); }};
}

}  // namespace culprit
