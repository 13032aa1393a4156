// SPDX-License-Identifier: Apache-2.0
// Eight numbers a thread, each damped 64 times in double precision and added up. The numbers of a thread lie together,
// or those of a warp do: a load of a warp meets 32 sectors or 4.
// Limits on an H100: the FP64 pipe in both, 512 instructions a warp in 256 cycles of an SM, where the eight loads of 32
// sectors each take some 64 of L1, and device memory 60.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kNumbers = 8;
constexpr int kSteps = 64;
constexpr double kKept = 0.96875, kAdded = 0.125;  // in a step

// Number k of thread i of n.
template <bool kRows>
__host__ __device__ constexpr std::size_t PlaceOf(std::size_t i, std::size_t k, std::size_t n) {
  return kRows ? i * kNumbers + k : k * n + i;
}

template <bool kRows>
__device__ __forceinline__ void Damp(const float* in, float* out, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  double x[kNumbers];
#pragma unroll
  for (int k = 0; k < kNumbers; ++k) x[k] = in[PlaceOf<kRows>(i, k, n)];
#pragma unroll 4
  for (int step = 0; step < kSteps; ++step)
#pragma unroll
    for (int k = 0; k < kNumbers; ++k) x[k] = fma(x[k], kKept, kAdded);
  double sum = 0;
#pragma unroll
  for (int k = 0; k < kNumbers; ++k) sum += x[k];
  out[i] = static_cast<float>(sum);
}
}  // namespace

constexpr int kColumnLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) damping_by_column(const float* in, float* out, int n) {
  Damp<false>(in, out, n);
}
constexpr int kRowLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) damping_by_row(const float* in, float* out, int n) {
  Damp<true>(in, out, n);
}

namespace culprit {
namespace {

// n threads, a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel, bool kRows>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t i) -> Wanted {
    double sum = 0;
    for (std::size_t k = 0; k < kNumbers; ++k) {
      double x = in[PlaceOf<kRows>(i, k, n)];
      for (int step = 0; step < kSteps; ++step) x = x * kKept + kAdded;
      sum += x;
    }
    return {sum, 2 * kFloatUnit * std::abs(sum)};  // only the sum is rounded to float
  };
  return PerElementRun(UniformFloats(kNumbers * static_cast<std::size_t>(n), 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair DampingLayoutPair() {
  const AlikeKernels both("damps eight numbers a thread in double precision and adds them up", "numbers of a thread",
                          "kernels/planted/damping_layout.cu");
  return {.id = "damping_layout",
          .base = both.With("apart", "damping_by_column", kColumnLine, ::damping_by_column, Config,
                            Make<::damping_by_column, false>),
          .candidate =
              both.With("together", "damping_by_row", kRowLine, ::damping_by_row, Config, Make<::damping_by_row, true>),
          .sizes = {1 << 21, 1 << 22},
          .flop = [](int n) { return (2.0 * kSteps + 1) * kNumbers * n; },
          .min_bytes = [](int n) { return sizeof(float) * (kNumbers + 1.0) * n; }};
}

}  // namespace culprit
