// SPDX-License-Identifier: Apache-2.0
// Sums of stretches of 64 rows of a matrix, for 32 columns a block. The 16 partial sums of a column join in a tree in
// shared memory, which holds the columns of a partial row beside each other, or a column's partial sums.
// Limits on an H100: device memory, 8 KB a block, 590 cycles of an SM. Columns beside each other: 60 wavefronts a
// block. Partial sums beside each other: 16 lanes meet in a bank, some 900 wavefronts. 1.2 to 1.6 times as long.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kColumns = 32;   // of a block
constexpr int kPartials = 16;  // of a column
constexpr int kPerThread = 4;  // rows
constexpr int kStretch = kPartials * kPerThread;

template <bool kColumnsBeside>
__device__ void SumColumns(const float* in, float* out, int n) {
  __shared__ float sums[kPartials * kColumns];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const auto at = [x](int partial) { return kColumnsBeside ? partial * kColumns + x : x * kPartials + partial; };
  const std::size_t column = blockIdx.x * kColumns + x;
  const float* from = in + static_cast<std::size_t>(blockIdx.y * kStretch + y) * n + column;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) sum += from[static_cast<std::size_t>(i) * kPartials * n];
  sums[at(y)] = sum;
#pragma unroll
  for (int half = kPartials / 2; half > 0; half /= 2) {
    __syncthreads();
    if (y < half) sums[at(y)] += sums[at(y + half)];
  }
  if (y == 0) out[blockIdx.y * static_cast<std::size_t>(n) + column] = sums[at(0)];
}
}  // namespace

constexpr int kColumnsLine = __LINE__ + 1;
extern "C" __global__ void column_tree_by_rows(const float* in, float* out, int n) { SumColumns<true>(in, out, n); }
constexpr int kPartialsLine = __LINE__ + 1;
extern "C" __global__ void column_tree_by_columns(const float* in, float* out, int n) { SumColumns<false>(in, out, n); }

namespace culprit {
namespace {

// An n x n matrix; n is a multiple of 64.
LaunchConfig Config(int n) { return {dim3(n / kColumns, n / kStretch), dim3(kColumns, kPartials), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(n) * n, 1); }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(n) * (n / kStretch); }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    Wanted w;
    for (std::size_t row = i / n * kStretch; row < (i / n + 1) * kStretch; ++row) {
      w.value += in[row * n + i % n];
      w.bound += (kPerThread + 4) * kFloatUnit * std::abs(in[row * n + i % n]);  // a thread's sums, and four levels
    }
    return w;
  }
};

}  // namespace

PlantedPair ColumnTreePair() {
  const AlikeKernels both("adds up columns by a tree in shared memory", "partial sums",
                          "kernels/planted/column_tree.cu");
  return {
      .id = "column_tree",
      .base = ElementsKernel<Job, ::column_tree_by_rows, Config>(both, "by rows", "column_tree_by_rows", kColumnsLine),
      .candidate = ElementsKernel<Job, ::column_tree_by_columns, Config>(both, "by columns", "column_tree_by_columns",
                                                                         kPartialsLine),
      .sizes = {4096, 8192},
      .flop = [](int n) { return 1.0 * n * n; },
      .min_bytes = [](int n) { return sizeof(float) * (1.0 + 1.0 / kStretch) * n * n; }};
}

}  // namespace culprit
