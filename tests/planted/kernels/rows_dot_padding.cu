// SPDX-License-Identifier: Apache-2.0
// Products of 32 rows of 64 numbers with 8 vectors, a row a lane and a vector a warp, from shared memory. A short
// kernel, 12 blocks an SM. Rows 67 floats apart meet no bank twice: 9200 cycles of the shared data pipe, 5 us beside 2
// to 3 of ramp and launch. Rows 66 apart: two lanes meet in each of 16 banks, and the pipe takes 15400. Loads are
// volatile: as many as written here.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kRows = 32;
constexpr int kNumbers = 64;
constexpr int kVectors = 8;
constexpr int kThreads = kRows * kVectors;

// Numbers in [-1, 1] that single precision holds exactly.
__host__ __device__ constexpr float Entry(int vector, int k) {
  return static_cast<float>((k * (2 * vector + 5) + vector) % 17 - 8) / 8;
}

template <int kRow>
__device__ __forceinline__ void Multiply(const float* in, float* out) {
  __shared__ float tile[kRows * kRow];
  __shared__ float4 vectors[kVectors * kNumbers / 4];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kRows, warp = thread / kRows;
  in += static_cast<std::size_t>(blockIdx.x) * (kRows * kNumbers);
  for (int i = thread; i < kRows * kNumbers; i += kThreads) tile[i / kNumbers * kRow + i % kNumbers] = in[i];
  for (int i = thread; i < kVectors * kNumbers; i += kThreads)
    reinterpret_cast<float*>(vectors)[i] = Entry(i / kNumbers, i % kNumbers);
  __syncthreads();
  const volatile float* row = tile + lane * kRow;
  const float4* vector = vectors + warp * (kNumbers / 4);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kNumbers; k += 4) {
    const float4 v = vector[k / 4];
    sum = fmaf(row[k], v.x, sum);
    sum = fmaf(row[k + 1], v.y, sum);
    sum = fmaf(row[k + 2], v.z, sum);
    sum = fmaf(row[k + 3], v.w, sum);
  }
  out[static_cast<std::size_t>(blockIdx.x) * kThreads + thread] = sum;
}
}  // namespace

constexpr int kOddLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) rows_dot_67(const float* in, float* out) {
  Multiply<67>(in, out);
}
constexpr int kEvenLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) rows_dot_66(const float* in, float* out) {
  Multiply<66>(in, out);
}

namespace culprit {
namespace {

LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int blocks) {
  const auto launch = [blocks](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(blocks), stream, in, out);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) -> Wanted {
    const float* row = in.data() + (i / kThreads * kRows + i % kRows) * kNumbers;
    Wanted w;
    for (int k = 0; k < kNumbers; ++k) {
      const double term = double{row[k]} * Entry(static_cast<int>(i / kRows % kVectors), k);
      w.value += term;
      w.bound += kNumbers * kFloatUnit * std::abs(term);
    }
    return w;
  };
  return PerElementRun(UniformFloats(static_cast<std::size_t>(blocks) * kRows * kNumbers, 1),
                       static_cast<std::size_t>(blocks) * kThreads, 61, launch, wanted);
}

}  // namespace

PlantedPair RowsDotPaddingPair() {
  const AlikeKernels both("multiplies 32 rows with 8 vectors in shared memory", "tile row",
                          "kernels/planted/rows_dot_padding.cu");
  return {.id = "rows_dot_padding",
          .base = both.With("67 floats", "rows_dot_67", kOddLine, ::rows_dot_67, Config, Make<::rows_dot_67>),
          .candidate = both.With("66 floats", "rows_dot_66", kEvenLine, ::rows_dot_66, Config, Make<::rows_dot_66>),
          .sizes = {9 * 132, 12 * 132},
          .flop = [](int blocks) { return 2.0 * kNumbers * kThreads * blocks; },
          .min_bytes = [](int blocks) { return sizeof(float) * (1.0 * kRows * kNumbers + kThreads) * blocks; }};
}

}  // namespace culprit
