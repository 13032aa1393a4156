// SPDX-License-Identifier: Apache-2.0
// A sparse matrix of 16 numbers a row times a vector, a thread a row, in an order of rows that is told.
#include "job.h"

namespace {
constexpr int kRows = 1 << 19, kEntries = 16, kThreads = 256, kHops = 16;

__host__ __device__ constexpr std::size_t Place(int row, int entry) {
#ifdef CHANGE_A
  return static_cast<std::size_t>(row) * kEntries + entry;
#else
  return static_cast<std::size_t>(entry) * kRows + row;
#endif
}
}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
    sparse_product(const int* order, const int* columns, const float* values, const float* x, float* y) {
  int row = blockIdx.x * kThreads + threadIdx.x;
#ifdef CHANGE_B
#pragma unroll 1
  for (int hop = 0; hop < kHops; ++hop) row = order[row];
#else
  row = order[row];
#endif
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kEntries; ++k) {
    const std::size_t at = Place(row, k);
    sum += values[at] * __ldg(x + columns[at]);
  }
  y[row] = sum;
}

std::vector<double> SparseProduct() {
  std::vector<int> columns(static_cast<std::size_t>(kRows) * kEntries);
  std::vector<float> values(columns.size()), vector(kRows);
  Numbers numbers(4);
  for (int row = 0; row < kRows; ++row)
    for (int k = 0; k < kEntries; ++k) {
      // near the diagonal, as those of a mesh are
      columns[Place(row, k)] = static_cast<int>((row + numbers.Next() % 512) % kRows);
      values[Place(row, k)] = numbers.Float();
    }
  for (float& value : vector) value = numbers.Float();
    // Rows of a warp take turns: from each to the next, or at once to where kHops of these lead.
#ifdef CHANGE_B
  constexpr int kStep = 1;
#else
  constexpr int kStep = kHops;
#endif
  std::vector<int> order(kRows);
  for (int row = 0; row < kRows; ++row) order[row] = row / 32 * 32 + (row + kStep) % 32;
  const int *o = OnDevice(order), *c = OnDevice(columns);
  const float *v = OnDevice(values), *x = OnDevice(vector);
  float* y = OnDevice<float>(kRows);
  for (int i = 0; i < kLaunches; ++i) sparse_product<<<kRows / kThreads, kThreads>>>(o, c, v, x, y);
  return FromDevice(y, kRows);
}
