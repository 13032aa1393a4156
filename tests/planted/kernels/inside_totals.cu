// SPDX-License-Identifier: Apache-2.0
// How many of n points lie in the square |x| + |y| < 1/2. A warp counts its 128 points and adds the count to a total in
// global memory: to one of 256 totals in turn (their sum is the result), or always to the same.
// Limits on an H100: device memory, 8 bytes a point, 0.27 GB in 0.09 ms at 32 Mi points. One total takes 262144
// additions one after the other: at one to two cycles of L2 each 0.15 to 0.3 ms. 2 to 4 times as long. Kept apart
// because which total is the only difference; both add once per warp.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/run.h"
#include "tests/planted/kernels/totals.h"

namespace {
constexpr int kThreads = 256;
constexpr int kPerThread = 4;

// Exact: coordinates are multiples of 2^-23 below 1 in magnitude, and so are their sums below 2.
__host__ __device__ bool Inside(float x, float y) { return fabsf(x) + fabsf(y) < 0.5f; }

template <unsigned kTotals>
__device__ void CountInside(const float4* two_points, float* totals) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread / 2) + threadIdx.x;
  const float4 a = two_points[first], b = two_points[first + kThreads];
  const int mine = Inside(a.x, a.y) + Inside(a.z, a.w) + Inside(b.x, b.y) + Inside(b.z, b.w);
  const int count = culprit::WarpSum(mine);
  const unsigned warp = (blockIdx.x * kThreads + threadIdx.x) / culprit::kWarpLanes;
  if (threadIdx.x % culprit::kWarpLanes == 0) atomicAdd(totals + warp % kTotals, static_cast<float>(count));
}
}  // namespace

constexpr int kManyLine = __LINE__ + 1;
extern "C" __global__ void inside_256_totals(const float4* points, float* totals) { CountInside<256>(points, totals); }
constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void inside_one_total(const float4* points, float* totals) { CountInside<1>(points, totals); }

namespace culprit {
namespace {

// n points, a multiple of what a block takes.
LaunchConfig Config(int n) { return {dim3(n / (kThreads * kPerThread)), dim3(kThreads), 0}; }

template <auto* kKernel, std::size_t kTotals>
PlantedRun Make(int n) {
  const std::vector<float> points = UniformFloats(2 * static_cast<std::size_t>(n), 1);
  const auto in = Uploaded(points);
  const std::shared_ptr<DeviceMemory> totals = std::make_shared<DeviceMemory>(kTotals * sizeof(float));
  double inside = 0;  // an eighth of n: below 2^24, so that a float counts it exactly
  for (std::size_t i = 0; i < points.size(); i += 2) inside += Inside(points[i], points[i + 1]);
  PlantedRun run;
  // Totals go on from launch to launch: the work is the same.
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(n), stream, in->As<float4>(), totals->As<float>());
  };
  run.check = [=, launch = run.launch] {
    return CheckTotals({launch, {}}, totals->As<float>(), kTotals, std::vector<double>{inside});
  };
  return run;
}

}  // namespace

PlantedPair InsideTotalsPair() {
  const AlikeKernels both("counts the points in a square, one atomic addition per warp", "totals",
                          "kernels/planted/inside_totals.cu");
  return {.id = "inside_totals",
          .base = both.With("256", "inside_256_totals", kManyLine, ::inside_256_totals, Config,
                            Make<::inside_256_totals, 256>),
          .candidate =
              both.With("1", "inside_one_total", kOneLine, ::inside_one_total, Config, Make<::inside_one_total, 1>),
          .sizes = {16 << 20, 32 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
