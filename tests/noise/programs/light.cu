// SPDX-License-Identifier: Apache-2.0
// For script/ab-rates: a program that starts fast and does little, so that many executions fit into a minute, 12
// launches of a kernel of some 300 us. Usage: light [PERCENT]: by how much more it computes in each launch.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "turn.h"

namespace {

__global__ void Work(float* out, int rounds) {
  float a = static_cast<float>(threadIdx.x), b = 1.0f;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    a = a * 0.999f + b;
    b = b * 0.998f + a;
    a = a * 0.997f + b;
    b = b * 0.996f + a;
  }
  if (a == 0.5f) out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kRounds = 9000, kBlocks = 132 * 4, kThreads = 256, kLaunches = 12;
  const double percent = argc > 1 ? std::atof(argv[1]) : 0;
  const int rounds = static_cast<int>(kRounds * (1 + percent / 100) + 0.5);
  float* out = nullptr;
  cudaError_t failed = cudaMalloc(&out, kBlocks * kThreads * sizeof(float));
  const Turn turn;
  for (int i = 0; i < kLaunches && failed == cudaSuccess; ++i) {
    Work<<<kBlocks, kThreads>>>(out, rounds);
    failed = cudaGetLastError();
  }
  if (failed == cudaSuccess) failed = cudaDeviceSynchronize();
  if (failed != cudaSuccess) std::fprintf(stderr, "light: %s\n", cudaGetErrorString(failed));
  return failed == cudaSuccess ? 0 : 1;
}
