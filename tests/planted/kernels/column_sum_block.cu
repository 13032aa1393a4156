// SPDX-License-Identifier: Apache-2.0
// Column sums of a matrix of 64 rows, one thread per column with one load in flight. Blocks of 256 threads fill an SM's
// 64 warps: 8 KB on the way, about 1.6 TB/s at 650 ns from device memory. An SM holds at most 32 blocks, so blocks of
// 32 threads leave it half empty: 4 KB on the way, half the speed.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kRows = 64;

__device__ void Sum(const float* in, float* out, int columns) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float sum = 0;
#pragma unroll 1  // keeps one load in flight
  for (int row = 0; row < kRows; ++row) sum += in[static_cast<std::size_t>(row) * columns + column];
  out[column] = sum;
}
}  // namespace

constexpr int kWideLine = __LINE__ + 1;
extern "C" __global__ void column_sum_blocks_of_256(const float* in, float* out, int columns) { Sum(in, out, columns); }
constexpr int kNarrowLine = __LINE__ + 1;
extern "C" __global__ void column_sum_blocks_of_32(const float* in, float* out, int columns) { Sum(in, out, columns); }

namespace culprit {
namespace {

// A multiple of 256 columns.
template <int kThreads>
LaunchConfig Config(int columns) {
  return {dim3(columns / kThreads), dim3(kThreads), 0};
}

template <auto* kKernel, int kThreads>
PlantedRun Make(int columns) {
  const auto launch = [columns](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config<kThreads>(columns), stream, in, out, columns);
  };
  const auto wanted = [columns](const std::vector<float>& in, std::size_t i) -> Wanted {
    Wanted w;
    for (std::size_t row = 0; row < kRows; ++row) {
      const double value = in[row * columns + i];
      w.value += value;
      w.bound += kRows * kFloatUnit * std::abs(value);
    }
    return w;
  };
  return PerElementRun(UniformFloats(static_cast<std::size_t>(columns) * kRows, 1), columns, 5, launch, wanted);
}

}  // namespace

PlantedPair ColumnSumBlockPair() {
  const AlikeKernels both("each thread sums one column of a matrix of 64 rows", "block",
                          "kernels/planted/column_sum_block.cu");
  return {.id = "column_sum_block",
          .base = both.With("256 threads", "column_sum_blocks_of_256", kWideLine, ::column_sum_blocks_of_256,
                            Config<256>, Make<::column_sum_blocks_of_256, 256>),
          .candidate = both.With("32 threads", "column_sum_blocks_of_32", kNarrowLine, ::column_sum_blocks_of_32,
                                 Config<32>, Make<::column_sum_blocks_of_32, 32>),
          .sizes = {1 << 20, 1 << 21},
          .flop = [](int columns) { return static_cast<double>(kRows) * columns; },
          .min_bytes = [](int columns) { return sizeof(float) * (kRows + 1.0) * columns; }};
}

}  // namespace culprit
