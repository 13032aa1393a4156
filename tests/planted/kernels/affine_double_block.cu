// SPDX-License-Identifier: Apache-2.0
// An affine map in double precision, applied 256 times to two numbers a thread.
// An SM takes 32 blocks: of one warp each they are half of the warps that it could hold. The FP64 pipe is full either
// way: it takes a warp's instruction in 2 cycles of a quarter of an SM and answers in less than 20, so that 5 of 8
// warps with two chains each would do. The time stays.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kSteps = 256;
constexpr int kChains = 2;  // of a thread, which do not wait for each other

// x <- a x + b, kSteps times; |a| is at most 1/2.
__device__ __forceinline__ void Iterate(const float* in, float* out, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const double a = in[i] / 2, b = in[static_cast<std::size_t>(n) + i];
  double x[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) x[c] = in[static_cast<std::size_t>(2 + c) * n + i];
#pragma unroll 16
  for (int step = 0; step < kSteps; ++step)
#pragma unroll
    for (int c = 0; c < kChains; ++c) x[c] = a * x[c] + b;
  double sum = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) sum += x[c];
  out[i] = static_cast<float>(sum);
}
}  // namespace

constexpr int kLargeLine = __LINE__ + 1;
extern "C" __global__ void affine_double_256(const float* in, float* out, int n) { Iterate(in, out, n); }
constexpr int kSmallLine = __LINE__ + 1;
extern "C" __global__ void affine_double_32(const float* in, float* out, int n) { Iterate(in, out, n); }

namespace culprit {
namespace {

// n is a multiple of the block.
template <int kThreads>
LaunchConfig Config(int n) {
  return {dim3(n / kThreads), dim3(kThreads), 0};
}

template <auto* kKernel, int kThreads>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config<kThreads>(n), stream, in, out, n);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t i) -> Wanted {
    const double a = double{in[i]} / 2, b = in[static_cast<std::size_t>(n) + i];
    double sum = 0;
    for (std::size_t c = 0; c < kChains; ++c) {
      double x = in[(2 + c) * n + i];
      for (int step = 0; step < kSteps; ++step) x = a * x + b;
      sum += x;
    }
    // |x| stays below 2 and each step halves the errors before it; then kChains sums of what is below 2 kChains.
    return {sum, (4 * 2 * kChains + 2 * kChains * kChains) * kFloatUnit};
  };
  return PerElementRun(UniformFloats((2 + kChains) * static_cast<std::size_t>(n), 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair AffineDoubleBlockPair() {
  const AlikeKernels both("applies an affine map in double precision to numbers 256 times", "threads of a block",
                          "kernels/planted/affine_double_block.cu");
  return {.id = "affine_double_block",
          .base = both.With("256", "affine_double_256", kLargeLine, ::affine_double_256, Config<256>,
                            Make<::affine_double_256, 256>),
          .candidate = both.With("32", "affine_double_32", kSmallLine, ::affine_double_32, Config<32>,
                                 Make<::affine_double_32, 32>),
          .sizes = {1 << 20, 1 << 22},
          .flop = [](int n) { return 2.0 * kSteps * kChains * n; },
          .min_bytes = [](int n) { return sizeof(float) * (3.0 + kChains) * n; }};
}

}  // namespace culprit
