// SPDX-License-Identifier: Apache-2.0
// The softmax's normaliser, log(sum(exp(x))) of long rows, a block per row. Each thread keeps its maximum and its sum
// of exp(x - maximum): in one pass, rescaling the sum when the maximum grows, or in a pass for each. Limits on an H100:
// device memory in both, 4224 x 96 KB = 0.41 GB once, 0.14 ms, or twice. What the 1056 resident blocks read between the
// passes is 101 MB, twice the L2, which may still keep a part: 1.5 to 2 times as long. The exponentials (1.25 or 1 per
// element) take a third of one pass. Kept apart because a row does not fit into a thread's registers and the loops are
// not unrolled.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kLanes = 32;
constexpr int kBlocksPerSm = 8;  // a full SM: 2048 threads
constexpr int kRow = 24576;      // floats
static_assert(kRow % (4 * kThreads) == 0, "each thread takes the same number of float4s");

struct Partial {
  float maximum, sum;
};

__device__ float Maximum(float4 x) { return fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)); }
__device__ float SumOfExp(float4 x, float maximum) {
  return (__expf(x.x - maximum) + __expf(x.y - maximum)) + (__expf(x.z - maximum) + __expf(x.w - maximum));
}
__device__ Partial Join(Partial a, Partial b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
  return {maximum, a.sum * __expf(a.maximum - maximum) + b.sum * __expf(b.maximum - maximum)};
}
__device__ Partial JoinWarp(Partial p) {
  for (int step = kLanes / 2; step > 0; step /= 2)
    p = Join(p, {__shfl_xor_sync(~0u, p.maximum, step), __shfl_xor_sync(~0u, p.sum, step)});
  return p;
}

template <bool kOnePass>
__device__ void LogSumExp(const float* in, float* out) {
  const auto* row = reinterpret_cast<const float4*>(in + static_cast<std::size_t>(blockIdx.x) * kRow);
  Partial p{-INFINITY, 0};
  if (kOnePass) {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < kRow / 4; i += kThreads) {
      const float4 x = row[i];
      const float maximum = fmaxf(p.maximum, Maximum(x));
      p = {maximum, fmaf(p.sum, __expf(p.maximum - maximum), SumOfExp(x, maximum))};
    }
  } else {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < kRow / 4; i += kThreads)
      p.maximum = fmaxf(p.maximum, Maximum(row[i]));
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < kRow / 4; i += kThreads) p.sum += SumOfExp(row[i], p.maximum);
  }
  __shared__ Partial of_warp[kThreads / kLanes];
  p = JoinWarp(p);
  if (threadIdx.x % kLanes == 0) of_warp[threadIdx.x / kLanes] = p;
  __syncthreads();
  if (threadIdx.x >= kLanes) return;
  p = of_warp[threadIdx.x % (kThreads / kLanes)];
  for (int step = kThreads / kLanes / 2; step > 0; step /= 2)
    p = Join(p, {__shfl_xor_sync(~0u, p.maximum, step), __shfl_xor_sync(~0u, p.sum, step)});
  if (threadIdx.x == 0) out[blockIdx.x] = p.maximum + logf(p.sum);
}
}  // namespace

constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm) log_sum_exp_one_pass(const float* in, float* out) {
  LogSumExp<true>(in, out);
}
constexpr int kTwoLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    log_sum_exp_two_passes(const float* in, float* out) {
  LogSumExp<false>(in, out);
}

namespace culprit {
namespace {

LaunchConfig Config(int rows) { return {dim3(rows), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int rows) {
  const auto launch = [rows](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(rows), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t row) {
    double sum = 0;
    for (std::size_t j = 0; j < kRow; ++j) sum += std::exp(static_cast<double>(in[row * kRow + j]));
    const double value = std::log(sum);
    // Behind the sum: a thread's 24 steps (2 additions, a rescaling) and 8 joins (3 operations, 2 rescalings), where an
    // exponential of at most 2 in magnitude is off by 5 units (CUDA C++ Programming Guide: 2 + floor(1.173 |x|) ulps);
    // the terms' own error counts once. The logarithm turns the relative error into an absolute one, adds 1 ulp of its
    // own value, and the sum with the maximum rounds once more.
    constexpr double kUnits = 24 * (3 + 2 * 5) + 8 * (3 + 2 * 2 * 5) + 2 * 5;
    return Wanted{value, (kUnits + 4 * value) * kFloatUnit};
  };
  return PerElementRun(UniformFloats(static_cast<std::size_t>(rows) * kRow, 1), rows, 7, launch, wanted);
}

}  // namespace

PlantedPair LogSumExpPassesPair() {
  const AlikeKernels both("takes the logarithm of the sum of exponentials of long rows, one block per row", "passes",
                          "kernels/planted/log_sum_exp_passes.cu");
  return {.id = "log_sum_exp_passes",
          .base = both.With("1", "log_sum_exp_one_pass", kOneLine, ::log_sum_exp_one_pass, Config,
                            Make<::log_sum_exp_one_pass>),
          .candidate = both.With("2", "log_sum_exp_two_passes", kTwoLine, ::log_sum_exp_two_passes, Config,
                                 Make<::log_sum_exp_two_passes>),
          .sizes = {2112, 4224},
          .flop = nullptr,
          .min_bytes = [](int rows) { return sizeof(float) * static_cast<double>(rows) * kRow; }};
}

}  // namespace culprit
