// SPDX-License-Identifier: Apache-2.0
// Products of a matrix with four vectors: a thread per row takes each element of its row to four sums. It asks for the
// element once, or once per sum.
// Limits on an H100: asked once, device memory: 2e6 x 64 x 4 bytes = 0.5 GB, 0.17 ms. Asked four times, the same bytes
// from device memory and four times as many sectors from L2: 2.1 GB, 0.4 ms at 5.5 TB/s.
// Kept apart because a relaxed load of scope gpu is served by L2 and may be neither dropped nor merged with another.
// Both kernels load with it.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 8;  // a full SM: both may take 32 registers
constexpr int kColumns = 64;
constexpr int kVectors = 4;

struct Vectors {
  float4 of_column[kColumns];
};

__device__ float LoadRelaxed(const float* p) {
  float value;
  asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(value) : "l"(p));
  return value;
}

// The matrix is stored by columns, so that the lanes of a warp read neighbours.
template <bool kOnce>
__device__ void Multiply(const float* matrix, float4* out, int rows, const Vectors& vectors) {
  __shared__ float4 v[kColumns];
  if (threadIdx.x < kColumns) v[threadIdx.x] = vectors.of_column[threadIdx.x];
  __syncthreads();
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float4 sum{};
#pragma unroll 4
  for (int k = 0; k < kColumns; ++k) {
    const float* element = matrix + static_cast<std::size_t>(k) * rows + row;
    const float x = LoadRelaxed(element);
    const float y = kOnce ? x : LoadRelaxed(element);
    const float z = kOnce ? x : LoadRelaxed(element);
    const float w = kOnce ? x : LoadRelaxed(element);
    const float4 f = v[k];
    sum = {fmaf(x, f.x, sum.x), fmaf(y, f.y, sum.y), fmaf(z, f.z, sum.z), fmaf(w, f.w, sum.w)};
  }
  out[row] = sum;
}
}  // namespace

constexpr int kOnceLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    four_products_load_once(const float* matrix, float4* out, int rows, Vectors vectors) {
  Multiply<true>(matrix, out, rows, vectors);
}
constexpr int kEachLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    four_products_load_each(const float* matrix, float4* out, int rows, Vectors vectors) {
  Multiply<false>(matrix, out, rows, vectors);
}

namespace culprit {
namespace {

// A multiple of a block's threads.
LaunchConfig Config(int rows) { return {dim3(rows / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int rows) {
  const std::vector<float> weights = UniformFloats(kColumns * kVectors, 2);
  Vectors vectors;
  for (int k = 0; k < kColumns; ++k)
    vectors.of_column[k] = {weights[4 * k], weights[4 * k + 1], weights[4 * k + 2], weights[4 * k + 3]};
  const auto launch = [rows, vectors](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(rows), stream, in, reinterpret_cast<float4*>(out), rows, vectors);
  };
  const auto wanted = [rows, weights](const std::vector<float>& in, std::size_t i) {
    const std::size_t row = i / kVectors, vector = i % kVectors;
    double sum = 0, terms = 0;
    for (std::size_t k = 0; k < kColumns; ++k) {
      const double term = static_cast<double>(in[k * rows + row]) * weights[k * kVectors + vector];
      sum += term;
      terms += std::abs(term);
    }
    return Wanted{sum, kColumns * kFloatUnit * terms};
  };
  const std::size_t count = rows;
  return PerElementRun(UniformFloats(count * kColumns, 1), count * kVectors, 51, launch, wanted);
}

}  // namespace

PlantedPair FourProductsPair() {
  const AlikeKernels both("multiplies a matrix by four vectors, one row per thread", "loads of an element",
                          "kernels/planted/four_products.cu");
  return {.id = "four_products",
          .base = both.With("1", "four_products_load_once", kOnceLine, ::four_products_load_once, Config,
                            Make<::four_products_load_once>),
          .candidate = both.With("4", "four_products_load_each", kEachLine, ::four_products_load_each, Config,
                                 Make<::four_products_load_each>),
          .sizes = {1 << 20, 2 << 20},
          .flop = [](int rows) { return 2.0 * kVectors * kColumns * rows; },
          .min_bytes = [](int rows) { return (kColumns + kVectors) * sizeof(float) * static_cast<double>(rows); }};
}

}  // namespace culprit
