// SPDX-License-Identifier: Apache-2.0
// For script/ab-rates: conjugate gradients for Poisson's equation on a square grid, as solvers do them: five kernels an
// iteration, a sum that the host waits for in each. Usage: solver [EVERY]: recomputes the residual from its definition
// every so many iterations (40; 0: never), which is what slows it down.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "turn.h"

namespace {

constexpr int kN = 3072, kCells = kN * kN, kIterations = 40, kThreads = 256, kBlocks = 132 * 8;

__global__ void Stencil(const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCells; i += gridDim.x * blockDim.x) {
    const int row = i / kN, column = i % kN;
    float sum = 4.0f * x[i];
    if (row > 0) sum -= x[i - kN];
    if (row < kN - 1) sum -= x[i + kN];
    if (column > 0) sum -= x[i - 1];
    if (column < kN - 1) sum -= x[i + 1];
    y[i] = sum;
  }
}
__global__ void Dot(const float* a, const float* b, double* sum) {
  __shared__ double part[kThreads / 32];
  double mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCells; i += gridDim.x * blockDim.x)
    mine += double(a[i]) * b[i];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kThreads / 32; ++w) mine += part[w];
    atomicAdd(sum, mine);
  }
}
__global__ void Add(float* y, float by, const float* x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCells; i += gridDim.x * blockDim.x) y[i] += by * x[i];
}
__global__ void Direction(float* p, float by, const float* r) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCells; i += gridDim.x * blockDim.x) p[i] = r[i] + by * p[i];
}
__global__ void Residual(const float* b, const float* ax, float* r) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCells; i += gridDim.x * blockDim.x) r[i] = b[i] - ax[i];
}
__global__ void Fill(float* b) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCells; i += gridDim.x * blockDim.x)
    b[i] = float(i % 97) / 97 - 0.5f;
}

}  // namespace

int main(int argc, char** argv) {
  const int every = argc > 1 ? std::atoi(argv[1]) : 40;
  float *b, *x, *r, *p, *ap;
  double* sum;
  for (float** v : {&b, &x, &r, &p, &ap}) cudaMalloc(v, kCells * sizeof(float));
  cudaMalloc(&sum, sizeof(double));
  const Turn turn;
  const auto dot = [&](const float* u, const float* v) {
    double result = 0;
    cudaMemset(sum, 0, sizeof(double));
    Dot<<<kBlocks, kThreads>>>(u, v, sum);
    cudaMemcpy(&result, sum, sizeof(double), cudaMemcpyDeviceToHost);
    return result;
  };
  Fill<<<kBlocks, kThreads>>>(b);
  cudaMemset(x, 0, kCells * sizeof(float));
  cudaMemcpy(r, b, kCells * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaMemcpy(p, b, kCells * sizeof(float), cudaMemcpyDeviceToDevice);
  double rr = dot(r, r);
  for (int i = 1; i <= kIterations; ++i) {
    Stencil<<<kBlocks, kThreads>>>(p, ap);
    const double alpha = rr / dot(p, ap);
    Add<<<kBlocks, kThreads>>>(x, float(alpha), p);
    if (every > 0 && i % every == 0) {
      Stencil<<<kBlocks, kThreads>>>(x, ap);
      Residual<<<kBlocks, kThreads>>>(b, ap, r);
    } else {
      Add<<<kBlocks, kThreads>>>(r, float(-alpha), ap);
    }
    const double next = dot(r, r);
    Direction<<<kBlocks, kThreads>>>(p, float(next / rr), r);
    rr = next;
  }
  const cudaError_t failed = cudaDeviceSynchronize();
  std::printf("residual %g after %d iterations (%s)\n", std::sqrt(rr), kIterations, cudaGetErrorString(failed));
  return failed || !std::isfinite(rr);
}
