// SPDX-License-Identifier: Apache-2.0
// x <- 2^(a x), 128 times, for two numbers a thread.
// A block that reserves 72 KB of shared memory leaves room for three blocks on an SM instead of eight. The
// special-function units are full either way: they take a warp's power in 8 cycles of a quarter of an SM and answer
// after some 30, so that 2 of 6 warps with two chains each would do. The time stays.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kSteps = 128;
constexpr int kChains = 2;  // of a thread, which do not wait for each other
constexpr std::size_t kReservedBytes = 72 * 1024;
// 228 KB per SM, of which each block takes 1 KB for the system (CUDA C++ Programming Guide, compute capability 9.0)
static_assert(228 * 1024 / (kReservedBytes + 1024) == 3, "three blocks of 8 warps per SM");

// From -1 to -1/2: the numbers stay between 1/2 and 1, and a step takes at most ln 2 of an error along.
__host__ __device__ __forceinline__ float SlopeOf(float x) { return fmaf(x, 0.25f, -0.75f); }

// exp2f would also scale arguments whose powers are denormal.
__device__ __forceinline__ float Exp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

__device__ __forceinline__ void Iterate(const float* in, float* out, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float a[kChains], x[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) {
    a[c] = SlopeOf(in[static_cast<std::size_t>(c) * n + i]);
    x[c] = 1;
  }
#pragma unroll 16
  for (int step = 0; step < kSteps; ++step)
#pragma unroll
    for (int c = 0; c < kChains; ++c) x[c] = Exp2(a[c] * x[c]);
  float sum = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) sum += x[c];
  out[i] = sum;
}
}  // namespace

constexpr int kEightLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) powers_8_blocks(const float* in, float* out, int n) {
  Iterate(in, out, n);
}
constexpr int kThreeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) powers_3_blocks(const float* in, float* out, int n) {
  Iterate(in, out, n);
}

namespace culprit {
namespace {

// n is a multiple of a block.
template <std::size_t kBytes>
LaunchConfig Config(int n) {
  return {dim3(n / kThreads), dim3(kThreads), kBytes};
}

template <auto* kKernel, std::size_t kBytes>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config<kBytes>(n), stream, in, out, n);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t i) -> Wanted {
    double sum = 0;
    for (std::size_t c = 0; c < kChains; ++c) {
      const double a = SlopeOf(in[c * n + i]);
      double x = 1;
      for (int step = 0; step < kSteps; ++step) x = std::exp2(a * x);
      sum += x;
    }
    // A step adds 2 ulp (PTX ISA: ex2.approx) and the argument's rounding, 6 units, to ln 2 of the error before it.
    return {sum, (6 / (1 - 0.6932) + 2) * kChains * kFloatUnit};
  };
  return PerElementRun(UniformFloats(kChains * static_cast<std::size_t>(n), 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair PowersReservePair() {
  const AlikeKernels both("raises 2 to a multiple of two numbers a thread 128 times", "shared memory reserved",
                          "kernels/planted/powers_reserve.cu");
  return {
      .id = "powers_reserve",
      .base = both.With("0", "powers_8_blocks", kEightLine, ::powers_8_blocks, Config<0>, Make<::powers_8_blocks, 0>),
      .candidate = both.With("72 KB", "powers_3_blocks", kThreeLine, ::powers_3_blocks, Config<kReservedBytes>,
                             Make<::powers_3_blocks, kReservedBytes>),
      .sizes = {1 << 20, 1 << 22},
      .flop = nullptr,
      .min_bytes = [](int n) { return sizeof(float) * (kChains + 1.0) * n; }};
}

}  // namespace culprit
