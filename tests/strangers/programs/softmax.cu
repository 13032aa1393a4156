// SPDX-License-Identifier: Apache-2.0
// Softmax of rows of 1024 halves, a warp a row, with the exponential as a series.
#include <cuda_fp16.h>

#include "job.h"

namespace {
constexpr int kColumns = 1024, kRows = 8192, kThreads = 128, kHeld = kColumns / 32;

// e to the power of x, which is near 0.
template <int kTerms>
__device__ __forceinline__ float Series(float x) {
  float sum = 1;
#pragma unroll 1
  for (int k = kTerms; k > 0; --k) sum = 1 + x * sum * (1.0f / static_cast<float>(k));
  return sum;
}
}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) softmax_rows(const __half* in, __half* out) {
  const int lane = threadIdx.x % 32;
  const std::size_t row = blockIdx.x * (kThreads / 32) + threadIdx.x / 32;
  float v[kHeld];
#pragma unroll
#ifdef CHANGE_B
  for (int k = 0; k < kHeld; ++k) v[k] = __half2float(in[row * kColumns + k * 32 + lane]);
#else
  for (int k = 0; k < kHeld; k += 8) {
    const uint4 raw = reinterpret_cast<const uint4*>(in + row * kColumns)[k * 4 + lane];
    const __half* eight = reinterpret_cast<const __half*>(&raw);
#pragma unroll
    for (int i = 0; i < 8; ++i) v[k + i] = __half2float(eight[i]);
  }
#endif
  float largest = v[0];
#pragma unroll
  for (int k = 1; k < kHeld; ++k) largest = fmaxf(largest, v[k]);
  for (int step = 16; step > 0; step /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kHeld; ++k) {
    const float x = v[k] - largest;
#ifdef CHANGE_A
    if (x > -0.5f) {
      v[k] = Series<5>(x);
    } else {
      const float half = Series<6>(0.5f * x);
      v[k] = half * half;
    }
#else
    const float half = Series<6>(0.5f * x);
    v[k] = half * half;
#endif
    sum += v[k];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  const float scale = 256 / sum;
#pragma unroll
#ifdef CHANGE_B
  for (int k = 0; k < kHeld; ++k) out[row * kColumns + k * 32 + lane] = __float2half(v[k] * scale);
#else
  for (int k = 0; k < kHeld; k += 8) {
    uint4 raw;
    __half* eight = reinterpret_cast<__half*>(&raw);
#pragma unroll
    for (int i = 0; i < 8; ++i) eight[i] = __float2half(v[k + i] * scale);
    reinterpret_cast<uint4*>(out + row * kColumns)[k * 4 + lane] = raw;
  }
#endif
}

std::vector<double> Softmax() {
  const std::size_t count = static_cast<std::size_t>(kRows) * kColumns;
  std::vector<__half> values(count);
  Numbers numbers(5);
  for (__half& value : values) value = __float2half(numbers.Float());
  __half *in = OnDevice(values), *out = OnDevice<__half>(count);
  for (int i = 0; i < kLaunches; ++i) softmax_rows<<<kRows / (kThreads / 32), kThreads>>>(in, out);
  Check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (!results_wanted) return {};
  std::vector<__half> halves(count);
  Check(cudaMemcpy(halves.data(), out, count * sizeof(__half), cudaMemcpyDeviceToHost), "cudaMemcpy");
  // Sums of rows' pieces: one number alone is as exact as a half.
  std::vector<double> sums(count / 64);
  for (std::size_t i = 0; i < count; ++i) sums[i / 64] += __half2float(halves[i]);
  return sums;
}
