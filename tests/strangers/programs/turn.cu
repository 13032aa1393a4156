// SPDX-License-Identifier: Apache-2.0
// A matrix transposed, and the sum of each of its columns.
#include "job.h"

namespace {
constexpr int kSide = 4096, kTile = 32, kHigh = 8;
#ifdef CHANGE_A
constexpr int kPitch = kTile;
#else
constexpr int kPitch = kTile + 1;
#endif
}  // namespace

extern "C" __global__ void __launch_bounds__(kTile* kHigh) turn_and_total(const float* in, float* out, float* totals) {
  __shared__ float tile[kTile][kPitch];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x0 = blockIdx.x * kTile, y0 = blockIdx.y * kTile;
  // a warp reads a row
#pragma unroll
  for (int i = 0; i < kTile; i += kHigh) tile[ty + i][tx] = in[static_cast<std::size_t>(y0 + ty + i) * kSide + x0 + tx];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kTile; i += kHigh) {
    float value = tile[tx][ty + i];
    out[static_cast<std::size_t>(x0 + ty + i) * kSide + y0 + tx] = value;
#ifdef CHANGE_B
    atomicAdd(totals + x0 + ty + i, value);
#else
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    if (tx == 0) atomicAdd(totals + x0 + ty + i, value);
#endif
  }
}

std::vector<double> TurnAndTotal() {
  const std::size_t count = static_cast<std::size_t>(kSide) * kSide;
  std::vector<float> values(count);
  Numbers numbers(8);
  for (float& value : values) value = numbers.Float();
  float *in = OnDevice(values), *out = OnDevice<float>(count), *totals = OnDevice<float>(kSide);
  const dim3 grid(kSide / kTile, kSide / kTile), block(kTile, kHigh);
  for (int i = 0; i < kLaunches; ++i) {
    Check(cudaMemset(totals, 0, kSide * sizeof(float)), "cudaMemset");
    turn_and_total<<<grid, block>>>(in, out, totals);
  }
  std::vector<double> result = FromDevice(out, count);
  const std::vector<double> sums = FromDevice(totals, kSide);
  for (double sum : sums) result.push_back(sum / kSide);
  return result;
}
