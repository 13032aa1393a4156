// SPDX-License-Identifier: Apache-2.0
// Logistic growth: 512 steps of one FFMA and one FMUL per element. Unrolled 32 times a loop's own instructions (count,
// compare, branch) vanish and the FMA pipe is the limit; rolled they make 5 instructions of 2, all issued one per
// cycle.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kInner = 32;
constexpr int kRounds = 16;  // passed as a number known at run time, so that only the inner loop can be unrolled
constexpr float kRate = 0.0078125f;

template <int kUnroll>
__device__ void Grow(const float* in, float* out, int rounds) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float x = fmaf(0.25f, in[i], 0.5f);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll kUnroll
    for (int step = 0; step < kInner; ++step) x *= fmaf(-kRate, x, 1 + kRate);
  }
  out[i] = x;
}
}  // namespace

constexpr int kUnrolledLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) logistic_unrolled_32(const float* in, float* out, int rounds) {
  Grow<kInner>(in, out, rounds);
}
constexpr int kRolledLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) logistic_rolled(const float* in, float* out, int rounds) {
  Grow<1>(in, out, rounds);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, kRounds);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    double x = 0.25 * in[i] + 0.5;
    for (int step = 0; step < kInner * kRounds; ++step) x *= (1 + kRate) - kRate * x;
    // Starting in [1/4, 3/4], a deviation grows at most (1/4) / (3/16) times on the way to 1: the flow's derivative is
    // x (1 - x) / (x0 (1 - x0)). A step rounds twice, at values below 1.01.
    return {x, 1.4 * 3 * kInner * kRounds * kFloatUnit};
  };
  return PerElementRun(UniformFloats(n, 1), n, 61, launch, wanted);
}

}  // namespace

PlantedPair LogisticUnrollPair() {
  const AlikeKernels both("advances logistic growth by 512 steps", "inner loop", "kernels/planted/logistic_unroll.cu");
  return {.id = "logistic_unroll",
          .base = both.With("unrolled 32 times", "logistic_unrolled_32", kUnrolledLine, ::logistic_unrolled_32, Config,
                            Make<::logistic_unrolled_32>),
          .candidate =
              both.With("rolled", "logistic_rolled", kRolledLine, ::logistic_rolled, Config, Make<::logistic_rolled>),
          .sizes = {1 << 21, 1 << 23},
          .flop = [](int n) { return 3.0 * kInner * kRounds * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
