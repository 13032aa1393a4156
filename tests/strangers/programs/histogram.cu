// SPDX-License-Identifier: Apache-2.0
// How often each of 64 shades occurs, brightened first, and how much light the brightest have together.
#include "job.h"

namespace {
constexpr int kShades = 64, kThreads = 256, kCount = 1 << 23, kBlocks = 132 * 4;
constexpr float kBright = 0.992f;
}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) shade_histogram(const float4* in, int* shades, float* light) {
  __shared__ int copies[kThreads / 32][kShades];
  for (int i = threadIdx.x; i < kShades * (kThreads / 32); i += kThreads) copies[i / kShades][i % kShades] = 0;
  __syncthreads();
  float bright = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kCount / 4; i += kBlocks * kThreads) {
    const float4 four = in[i];
    const float values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (float x : values) {
#ifdef CHANGE_A
      if (x > kBright) atomicAdd(light, x);
#else
      if (x > kBright) bright += x;
#endif
#ifdef CHANGE_B
      const float shade = x * (1.9 + x * (-1.6 + x * (1.1 + x * (-0.7 + x * (0.4 + x * (-0.2 + x * 0.1))))));
#else
      const float shade = x * (1.9f + x * (-1.6f + x * (1.1f + x * (-0.7f + x * (0.4f + x * (-0.2f + x * 0.1f))))));
#endif
      atomicAdd(&copies[threadIdx.x / 32][min(static_cast<int>(shade * kShades + 1e-3f), kShades - 1)], 1);
    }
  }
  for (int step = 16; step > 0; step /= 2) bright += __shfl_xor_sync(~0u, bright, step);
  if (threadIdx.x % 32 == 0) atomicAdd(light, bright);
  __syncthreads();
  for (int i = threadIdx.x; i < kShades; i += kThreads) {
    int sum = 0;
    for (int copy = 0; copy < kThreads / 32; ++copy) sum += copies[copy][i];
    atomicAdd(&shades[i], sum);
  }
}

std::vector<double> Histogram() {
  std::vector<float> values(kCount);
  Numbers numbers(2);
  for (float& value : values) value = numbers.Float();
  const float4* in = reinterpret_cast<const float4*>(OnDevice(values));
  int* shades = OnDevice<int>(kShades);
  float* light = OnDevice<float>(1);
  for (int i = 0; i < kLaunches; ++i) {
    Check(cudaMemset(shades, 0, kShades * sizeof(int)), "cudaMemset");
    Check(cudaMemset(light, 0, sizeof(float)), "cudaMemset");
    shade_histogram<<<kBlocks, kThreads>>>(in, shades, light);
  }
  std::vector<double> result = FromDevice(shades, kShades);
  if (!results_wanted) return result;
  for (double& count : result) count = count / 1e5;  // a few on the edge of two shades may fall on either side
  for (double& count : result) count = static_cast<double>(static_cast<long long>(count * 50 + 0.5)) / 50;
  result.push_back(FromDevice(light, 1)[0] / 1e4);
  return result;
}
