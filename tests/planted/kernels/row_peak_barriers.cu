// SPDX-License-Identifier: Apache-2.0
// The largest value of each row of 1024, a block of one warp per row, by a tree of five levels in shared memory. The
// lanes meet as a warp after each level, or as a block.
// Limits on an H100: device memory in both: 0.27 GB in 0.09 ms at 65536 rows; 32 warps of an SM keep 32 KB and more in
// flight. A block of one warp waits for nobody: a barrier costs it some 20 cycles, five a row, beside 292 that device
// memory takes for a row of an SM, and while 31 other warps go on. No launch bounds: they would tell the compiler that
// the block is one warp, and it would drop the barriers.
#include <algorithm>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kLanes = 32;
constexpr int kRow = 1024;
constexpr int kLoads = kRow / (4 * kLanes);

template <bool kAsBlock>
__device__ void RowPeak(const float4* in, float* out) {
  __shared__ float peaks[kLanes];
  const int lane = static_cast<int>(threadIdx.x);
  const float4* row = in + static_cast<std::size_t>(blockIdx.x) * (kRow / 4) + lane;
  float4 value[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) value[i] = row[i * kLanes];
  float peak = value[0].x;
#pragma unroll
  for (const float4 v : value) peak = fmaxf(peak, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  peaks[lane] = peak;
#pragma unroll
  for (int half = kLanes / 2; half > 0; half /= 2) {
    if (kAsBlock) {
      __syncthreads();
    } else {
      __syncwarp();
    }
    if (lane < half) peaks[lane] = peak = fmaxf(peak, peaks[lane + half]);
  }
  if (lane == 0) out[blockIdx.x] = peak;
}
}  // namespace

constexpr int kWarpLine = __LINE__ + 1;
extern "C" __global__ void row_peak_meet_as_warp(const float4* in, float* out) { RowPeak<false>(in, out); }
constexpr int kBlockLine = __LINE__ + 1;
extern "C" __global__ void row_peak_meet_as_block(const float4* in, float* out) { RowPeak<true>(in, out); }

namespace culprit {
namespace {

LaunchConfig Config(int rows) { return {dim3(rows), dim3(kLanes), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 1;
  static std::vector<float> Inputs(int rows) { return UniformFloats(static_cast<std::size_t>(rows) * kRow, 1); }
  static std::size_t Outputs(int rows) { return rows; }
  static Wanted Want(const std::vector<float>& in, std::size_t row, int) {
    const auto first = in.begin() + static_cast<std::ptrdiff_t>(row * kRow);
    return {*std::max_element(first, first + kRow)};
  }
};

}  // namespace

PlantedPair RowPeakBarriersPair() {
  const AlikeKernels both("finds the largest value of each row, a block of one warp per row", "lanes meet as",
                          "kernels/planted/row_peak_barriers.cu");
  return {
      .id = "row_peak_barriers",
      .base = ElementsKernel<Job, ::row_peak_meet_as_warp, Config>(both, "a warp", "row_peak_meet_as_warp", kWarpLine),
      .candidate =
          ElementsKernel<Job, ::row_peak_meet_as_block, Config>(both, "a block", "row_peak_meet_as_block", kBlockLine),
      .sizes = {32768, 65536},
      .flop = nullptr,
      .min_bytes = [](int rows) { return 1.0 * sizeof(float) * kRow * rows; }};
}

}  // namespace culprit
