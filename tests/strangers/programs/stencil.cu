// SPDX-License-Identifier: Apache-2.0
// A star of 25 points on a grid of three dimensions: a block marches along z, with the plane in shared memory and what
// lies before and behind it in registers.
#include "job.h"

namespace {
constexpr int kReach = 4, kWide = 32, kHigh = 8;
constexpr int kNx = 512, kNy = 512, kNz = 64, kChunk = 16;
__constant__ float weight[kReach + 1] = {0.5f, 0.04f, 0.02f, 0.01f, 0.005f};

__device__ __forceinline__ int Clamp(int value, int end) { return min(max(value, 0), end - 1); }
__device__ __forceinline__ std::size_t At(int x, int y, int z) {
  return (static_cast<std::size_t>(Clamp(z, kNz)) * kNy + Clamp(y, kNy)) * kNx + Clamp(x, kNx);
}
}  // namespace

extern "C" __global__ void __launch_bounds__(kWide* kHigh) star_stencil(const float* in, float* out) {
#ifdef CHANGE_B
  __shared__ float plane[kWide + 2 * kReach][kHigh + 2 * kReach + 4];
#define PLANE(y, x) plane[x][y]
#else
  __shared__ float plane[kHigh + 2 * kReach][kWide + 2 * kReach];
#define PLANE(y, x) plane[y][x]
#endif
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x0 = blockIdx.x * kWide, y0 = blockIdx.y * kHigh, z0 = blockIdx.z * kChunk;
  constexpr int kDeep = 2 * kReach + 1;
  float column[kDeep];
#pragma unroll
  for (int k = 0; k < kDeep - 1; ++k) column[k] = in[At(x0 + tx, y0 + ty, z0 + k - kReach)];
#ifdef CHANGE_A
  int oldest = kDeep - 1;
#endif
#pragma unroll 1
  for (int z = z0; z < z0 + kChunk; ++z) {
    const float ahead = in[At(x0 + tx, y0 + ty, z + kReach)];
    __syncthreads();  // the plane before has been read
    for (int y = ty; y < kHigh + 2 * kReach; y += kHigh)
      // what lies around the block as well
      for (int x = tx; x < kWide + 2 * kReach; x += kWide) PLANE(y, x) = in[At(x0 + x - kReach, y0 + y - kReach, z)];
    __syncthreads();
    float sum = 0;
#ifdef CHANGE_A
    column[oldest] = ahead;
    oldest = oldest + 1 == kDeep ? 0 : oldest + 1;
#pragma unroll
    for (int k = 0; k < kDeep; ++k) {
      const int slot = oldest + k >= kDeep ? oldest + k - kDeep : oldest + k;
      sum += weight[k < kReach ? kReach - k : k - kReach] * column[slot];
    }
#else
    column[kDeep - 1] = ahead;
#pragma unroll
    for (int k = 0; k < kDeep; ++k) sum += weight[k < kReach ? kReach - k : k - kReach] * column[k];
#pragma unroll
    for (int k = 0; k < kDeep - 1; ++k) column[k] = column[k + 1];
#endif
#pragma unroll
    for (int r = 1; r <= kReach; ++r) {
      const float row = PLANE(ty + kReach, tx + kReach - r) + PLANE(ty + kReach, tx + kReach + r);
      const float rank = PLANE(ty + kReach - r, tx + kReach) + PLANE(ty + kReach + r, tx + kReach);
      sum += weight[r] * (row + rank);
    }
    out[At(x0 + tx, y0 + ty, z)] = sum;
  }
}

std::vector<double> Stencil() {
  const std::size_t cells = static_cast<std::size_t>(kNx) * kNy * kNz;
  std::vector<float> values(cells);
  Numbers numbers(1);
  for (float& value : values) value = numbers.Float();
  float *in = OnDevice(values), *out = OnDevice<float>(cells);
  const dim3 grid(kNx / kWide, kNy / kHigh, kNz / kChunk), block(kWide, kHigh);
  for (int i = 0; i < kLaunches; ++i) star_stencil<<<grid, block>>>(in, out);
  return FromDevice(out, cells);
}
