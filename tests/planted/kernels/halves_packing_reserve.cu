// SPDX-License-Identifier: Apache-2.0
// x <- a x + b in half precision, 2048 times, each number with an a and a b of its own.
// A  a thread takes one number instead of two: an instruction computes one where it could compute two.
// B  a block reserves 200 KB of shared memory: one block of 8 warps fits an SM instead of eight.
// A number waits some 6 cycles for itself. 64 warps keep a quarter of an SM busy all the same: an instruction a cycle,
// which the compiler gives in turn to two pipes, or one in 2 cycles for single numbers, which it gives to one of them.
// Of 8 warps a quarter has 2, an instruction in 3 cycles. So 1, A 4, B 3, both 6: A is 60 %.
#include <cuda_fp16.h>

#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kSteps = 2048;
constexpr std::size_t kReservedBytes = 200 * 1024;
// 228 KB per SM, of which each block takes 1 KB for the system (CUDA C++ Programming Guide, compute capability 9.0)
static_assert(228 * 1024 / (kReservedBytes + 1024) == 1, "one block of 8 warps per SM");

__device__ __forceinline__ __half2 Fma(__half2 x, __half2 a, __half2 b) { return __hfma2(x, a, b); }
__device__ __forceinline__ __half Fma(__half x, __half a, __half b) { return __hfma(x, a, b); }
__device__ __forceinline__ float2 ToFloat(__half2 x) { return __half22float2(x); }
__device__ __forceinline__ float ToFloat(__half x) { return __half2float(x); }

// Numbers is one or a pair; in: x of each of n numbers, a of each, b of each.
template <class Numbers>
__device__ __forceinline__ void Iterate(const __half* in, float* out, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  Numbers x = reinterpret_cast<const Numbers*>(in)[i];
  const Numbers a = reinterpret_cast<const Numbers*>(in + n)[i];
  const Numbers b = reinterpret_cast<const Numbers*>(in + 2 * static_cast<std::size_t>(n))[i];
#pragma unroll 64
  for (int step = 0; step < kSteps; ++step) x = Fma(x, a, b);
  reinterpret_cast<decltype(ToFloat(x))*>(out)[i] = ToFloat(x);
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) halves_by_two_64_warps(const __half* in, float* out, int n) {
  Iterate<__half2>(in, out, n);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) halves_by_one_64_warps(const __half* in, float* out, int n) {
  Iterate<__half>(in, out, n);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) halves_by_two_8_warps(const __half* in, float* out, int n) {
  Iterate<__half2>(in, out, n);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) halves_by_one_8_warps(const __half* in, float* out, int n) {
  Iterate<__half>(in, out, n);
}

namespace culprit {
namespace {

// n numbers, a multiple of what a block takes.
template <int kOfAThread, std::size_t kBytes>
LaunchConfig Config(int n) {
  return {dim3(n / (kOfAThread * kThreads)), dim3(kThreads), kBytes};
}

// Numbers of at most 1/2, multiples of 1/256, which half precision holds exactly.
std::vector<float> Numbers(std::size_t count) {
  std::vector<float> numbers = UniformFloats(count, 1);
  for (float& number : numbers) number = std::trunc(number * 128) / 256;
  return numbers;
}

template <auto* kKernel, int kOfAThread, std::size_t kBytes>
PlantedRun Make(int n) {
  const auto values = std::make_shared<const std::vector<float>>(Numbers(3 * static_cast<std::size_t>(n)));
  std::vector<__half> halves(values->size());
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = __float2half_rn((*values)[i]);
  const auto in = Uploaded(halves);
  const auto launch = [=](cudaStream_t stream, const float*, float* out) {
    EnqueuePlanted(kKernel, Config<kOfAThread, kBytes>(n), stream, in->As<__half>(), out, n);
  };
  const auto wanted = [=](const std::vector<float>&, std::size_t i) -> Wanted {
    const auto count = static_cast<std::size_t>(n);
    double x = (*values)[i];
    for (int step = 0; step < kSteps; ++step) x = x * (*values)[count + i] + (*values)[2 * count + i];
    // |x| stays below 1. A step rounds by at most 2^-12 and halves the errors before it.
    return {x, 2 * 0x1p-12};
  };
  return PerElementRun({}, n, 61, launch, wanted);
}

}  // namespace

PlantedMixture HalvesPackingReserveMixture() {
  const MixedKernels four("applies affine maps in half precision 2048 times", "numbers of a thread",
                          "shared memory reserved", "kernels/planted/halves_packing_reserve.cu");
  return {.id = "halves_packing_reserve",
          .base = four.With("2", "0", "halves_by_two_64_warps", kBaseLine, ::halves_by_two_64_warps, Config<2, 0>,
                            Make<::halves_by_two_64_warps, 2, 0>),
          .a = four.With("1", "0", "halves_by_one_64_warps", kALine, ::halves_by_one_64_warps, Config<1, 0>,
                         Make<::halves_by_one_64_warps, 1, 0>),
          .b = four.With("2", "200 KB", "halves_by_two_8_warps", kBLine, ::halves_by_two_8_warps,
                         Config<2, kReservedBytes>, Make<::halves_by_two_8_warps, 2, kReservedBytes>),
          .both = four.With("1", "200 KB", "halves_by_one_8_warps", kBothLine, ::halves_by_one_8_warps,
                            Config<1, kReservedBytes>, Make<::halves_by_one_8_warps, 1, kReservedBytes>),
          .sizes = {1 << 21, 1 << 23},
          .flop = [](int n) { return 2.0 * kSteps * n; },
          .min_bytes = [](int n) { return (3.0 * sizeof(__half) + sizeof(float)) * n; }};
}

}  // namespace culprit
