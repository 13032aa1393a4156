// SPDX-License-Identifier: Apache-2.0
// A matrix product through square tiles in shared memory. The tile's size is a named constant, or a number at each
// use.
// Limits on an H100: shared memory, two loads of one wavefront per FMA and warp: 2048^3 / 32 x 2 / 132 cycles = 2.3 ms
// at most, half of that where a load takes 4 values. Both are the same machine code.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kTile = 32;
}  // namespace

constexpr int kNamedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kTile* kTile) product_named(const float* in, float* out, int n) {
  __shared__ float a[kTile][kTile], b[kTile][kTile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * kTile + y, column = static_cast<int>(blockIdx.x) * kTile + x;
  const float* right = in + static_cast<std::size_t>(n) * n;
  float sum = 0;
  for (int tile = 0; tile < n; tile += kTile) {
    a[y][x] = in[static_cast<std::size_t>(row) * n + tile + x];
    b[y][x] = right[static_cast<std::size_t>(tile + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum = fmaf(a[y][k], b[k][x], sum);
    __syncthreads();  // the next tiles overwrite these
  }
  out[static_cast<std::size_t>(row) * n + column] = sum;
}
constexpr int kNumbersLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(1024) product_numbers(const float* in, float* out, int n) {
  __shared__ float a[32][32], b[32][32];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * 32 + y, column = static_cast<int>(blockIdx.x) * 32 + x;
  const float* right = in + static_cast<std::size_t>(n) * n;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 32) {
    a[y][x] = in[static_cast<std::size_t>(row) * n + tile + x];
    b[y][x] = right[static_cast<std::size_t>(tile + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) sum = fmaf(a[y][k], b[k][x], sum);
    __syncthreads();
  }
  out[static_cast<std::size_t>(row) * n + column] = sum;
}

namespace culprit {
namespace {

// n x n matrices, left and right; n is a multiple of the tile.
LaunchConfig Config(int n) { return {dim3(n / kTile, n / kTile), dim3(kTile, kTile), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 1009;
  static std::vector<float> Inputs(int n) { return UniformFloats(2 * static_cast<std::size_t>(n) * n, 1); }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(n) * n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    const std::size_t row = i / n, column = i % n, right = static_cast<std::size_t>(n) * n;
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += double{in[row * n + k]} * in[right + static_cast<std::size_t>(k) * n + column];
    return {sum, n * kFloatUnit * n};  // n roundings of sums below n
  }
};

}  // namespace

PlantedPair ProductConstantsPair() {
  const AlikeKernels both("multiplies matrices through tiles of 32 x 32 in shared memory", "size of the tile",
                          "kernels/planted/product_constants.cu");
  return {.id = "product_constants",
          .base = ElementsKernel<Job, ::product_named, Config>(both, "a name", "product_named", kNamedLine),
          .candidate = ElementsKernel<Job, ::product_numbers, Config>(both, "numbers", "product_numbers", kNumbersLine),
          .sizes = {1024, 2048},
          .flop = [](int n) { return 2.0 * n * n * n; },
          .min_bytes = [](int n) { return 3.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
