// SPDX-License-Identifier: Apache-2.0
// For script/ab-rates: kernels that have one unit of the GPU busy each, some 250 us, so that an execution says of each
// whether it is told from itself. Usage: mix [PERCENT]: by how much more each computes, 10 at most.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "turn.h"

namespace {

constexpr int kBlocks = 132 * 4, kThreads = 256, kCalls = 5;
constexpr int kLarge = 64 << 20, kSmall = 6 << 20;  // floats: of device memory, and what L2 holds

__device__ int At() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void Multiply(float* out, int rounds) {
  float a = static_cast<float>(threadIdx.x), b = 1.0f;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    a = a * 0.999f + b;
    b = b * 0.998f + a;
    a = a * 0.997f + b;
    b = b * 0.996f + a;
  }
  if (a == 0.5f) out[At()] = a + b;
}

__global__ void Integers(float* out, int rounds) {
  unsigned a = threadIdx.x, b = 1;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    a = a * 1664525u + b;
    b = b * 22695477u + a;
    a = a * 69069u + b;
    b = b * 134775813u + a;
  }
  if (a == 5) out[At()] = static_cast<float>(b);
}

__global__ void Special(float* out, int rounds) {
  float a = static_cast<float>(threadIdx.x);
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) a = __sinf(a);
  if (a == 0.5f) out[At()] = a;
}

__global__ void Shared(float* out, int rounds) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  float sum = 0;
  int at = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    sum += values[at] + values[at ^ 32];
    at = (at + 32) % kThreads;
  }
  if (sum == 0.5f) out[At()] = sum;
}

__global__ void Stream(float4* to, const float4* from, int count) {
  for (int i = At(); i < count; i += kBlocks * kThreads) to[i] = from[i];
}

__global__ void Cached(float* out, const float4* from, int passes) {
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass)
    for (int i = At(); i < kSmall / 4; i += kBlocks * kThreads) sum += __ldcg(&from[i]).x;
  if (sum == 0.5f) out[At()] = sum;
}

__global__ void Chase(float* out, const int* next, int hops) {
  int at = static_cast<int>(threadIdx.x + blockIdx.x * 64) % kSmall;
  for (int i = 0; i < hops; ++i) at = __ldcg(&next[at]);
  if (at == -1) out[At()] = 1;
}

__global__ void Link(int* next) {
  for (int i = At(); i < kSmall; i += kBlocks * kThreads) next[i] = (i + 4099 * 32) % kSmall;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr double kMostPercent = 10;  // Stream then copies all that there is
  const double percent = argc > 1 ? std::atof(argv[1]) : 0, more = 1 + percent / 100;
  if (percent > kMostPercent) {
    std::fprintf(stderr, "mix: %g %% more is more than its arrays hold: give it %g at most.\n", percent, kMostPercent);
    return 2;
  }
  const auto times = [&](int rounds) { return static_cast<int>(rounds * more + 0.5); };
  float *a = nullptr, *b = nullptr;
  int* next = nullptr;
  cudaMalloc(&a, kLarge * sizeof(float));
  cudaMalloc(&b, kLarge * sizeof(float));
  cudaMalloc(&next, kSmall * sizeof(int));
  const Turn turn;
  Link<<<kBlocks, kThreads>>>(next);
  for (int i = 0; i < kCalls; ++i) {
    Multiply<<<kBlocks, kThreads>>>(a, times(7500));
    Integers<<<kBlocks, kThreads>>>(a, times(6000));
    Special<<<kBlocks, kThreads>>>(a, times(6500));
    Shared<<<kBlocks, kThreads>>>(a, times(6500));
    Stream<<<kBlocks, kThreads>>>(reinterpret_cast<float4*>(a), reinterpret_cast<const float4*>(b),
                                  times(kLarge / 4 / 110 * 100));
    Cached<<<kBlocks, kThreads>>>(a, reinterpret_cast<const float4*>(b), times(80));
    Chase<<<132, 32>>>(a, next, times(1800));
  }
  const cudaError_t failed = cudaDeviceSynchronize();
  if (failed != cudaSuccess) std::fprintf(stderr, "mix: %s\n", cudaGetErrorString(failed));
  return failed == cudaSuccess ? 0 : 1;
}
