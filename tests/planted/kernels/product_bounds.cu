// SPDX-License-Identifier: Apache-2.0
// A product of matrices, 256 deep, 8 x 8 results a thread in registers, launched in blocks of 256 threads. The kernel
// is compiled for blocks of 256, or for blocks of any size up to 1024.
// Limits on an H100: compiled for 256 threads, some 100 registers: 64 FMAs for 4 loads of 16 bytes a step, which L1
// and L2 serve in some 100 cycles of an SM and 64 of each sub-partition's FMA pipe. For 1024 threads, 64 registers at
// most: sums are spilled and read again in each step, 30 and more 4-byte accesses of a warp. 1.5 to 3 times as long.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kSide = 16;  // threads of a block's side
constexpr int kTile = 8;   // results of a thread's side
constexpr int kDepth = 256;

// Left is transposed: kDepth rows of n, then right: kDepth rows of n.
__device__ __forceinline__ void Multiply(const float* in, float* out, int n) {
  const int row = static_cast<int>(blockIdx.y * kSide + threadIdx.y) * kTile;
  const int column = static_cast<int>(blockIdx.x * kSide + threadIdx.x) * kTile;
  const float* left = in + row;
  const float* right = in + static_cast<std::size_t>(kDepth) * n + column;
  float sum[kTile][kTile] = {};
#pragma unroll 1
  for (int k = 0; k < kDepth; ++k, left += n, right += n) {
    float a[kTile], b[kTile];
#pragma unroll
    for (int i = 0; i < kTile; i += 4) {
      *reinterpret_cast<float4*>(a + i) = *reinterpret_cast<const float4*>(left + i);
      *reinterpret_cast<float4*>(b + i) = *reinterpret_cast<const float4*>(right + i);
    }
#pragma unroll
    for (int i = 0; i < kTile; ++i)
#pragma unroll
      for (int j = 0; j < kTile; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
  }
#pragma unroll
  for (int i = 0; i < kTile; ++i)
#pragma unroll
    for (int j = 0; j < kTile; ++j) out[static_cast<std::size_t>(row + i) * n + column + j] = sum[i][j];
}
}  // namespace

constexpr int k256Line = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(256) product_for_256_threads(const float* in, float* out, int n) {
  Multiply(in, out, n);
}
constexpr int k1024Line = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(1024) product_for_1024_threads(const float* in, float* out, int n) {
  Multiply(in, out, n);
}

namespace culprit {
namespace {

// n x n results; n is a multiple of 128.
LaunchConfig Config(int n) { return {dim3(n / (kSide * kTile), n / (kSide * kTile)), dim3(kSide, kSide), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 1009;
  static std::vector<float> Inputs(int n) { return UniformFloats(2 * static_cast<std::size_t>(kDepth) * n, 1); }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(n) * n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    double sum = 0;
    for (std::size_t k = 0; k < kDepth; ++k) sum += double{in[k * n + i / n]} * in[(kDepth + k) * n + i % n];
    return {sum, kDepth * kFloatUnit * kDepth};  // a rounding a step, of sums below 256
  }
};

}  // namespace

PlantedPair ProductBoundsPair() {
  const AlikeKernels both("multiplies matrices with 8 x 8 results a thread", "compiled for",
                          "kernels/planted/product_bounds.cu");
  return {.id = "product_bounds",
          .base = ElementsKernel<Job, ::product_for_256_threads, Config>(both, "256 threads", "product_for_256_threads",
                                                                         k256Line),
          .candidate = ElementsKernel<Job, ::product_for_1024_threads, Config>(both, "1024 threads",
                                                                               "product_for_1024_threads", k1024Line),
          .sizes = {2048, 4096},
          .flop = [](int n) { return 2.0 * kDepth * n * n; },
          .min_bytes = [](int n) { return sizeof(float) * (1.0 * n * n + 2.0 * kDepth * n); }};
}

}  // namespace culprit
