// SPDX-License-Identifier: Apache-2.0
// Many small systems of linear equations by elimination, a thread a system: the matrix stays in registers.
#include "job.h"

namespace {
constexpr int kSize = 6, kSystems = 1 << 18, kThreads = 128;

__host__ __device__ constexpr std::size_t Place(int system, int entry) {
#ifdef CHANGE_B
  return static_cast<std::size_t>(system) * (kSize * kSize) + entry;
#else
  return static_cast<std::size_t>(entry) * kSystems + system;
#endif
}
#ifdef CHANGE_A
constexpr int kBlocksAnSm = 16;
#else
constexpr int kBlocksAnSm = 4;
#endif
}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads, kBlocksAnSm)
    solve_small(const float* matrices, const float* sides, float* solutions) {
  const int system = blockIdx.x * kThreads + threadIdx.x;
  float m[kSize][kSize], x[kSize];
#pragma unroll
  for (int i = 0; i < kSize; ++i) {
#pragma unroll
    for (int j = 0; j < kSize; ++j) m[i][j] = matrices[Place(system, i * kSize + j)];
    x[i] = sides[i * kSystems + system];
  }
#pragma unroll
  for (int pivot = 0; pivot < kSize; ++pivot) {
    const float inverse = 1.0f / m[pivot][pivot];
#pragma unroll
    for (int i = pivot + 1; i < kSize; ++i) {
      const float factor = m[i][pivot] * inverse;
#pragma unroll
      for (int j = pivot + 1; j < kSize; ++j) m[i][j] -= factor * m[pivot][j];
      x[i] -= factor * x[pivot];
    }
  }
#pragma unroll
  for (int i = kSize - 1; i >= 0; --i) {
#pragma unroll
    for (int j = i + 1; j < kSize; ++j) x[i] -= m[i][j] * x[j];
    x[i] /= m[i][i];
    solutions[i * kSystems + system] = x[i];
  }
}

std::vector<double> Solver() {
  std::vector<float> matrices(static_cast<std::size_t>(kSystems) * kSize * kSize), sides(kSystems * kSize);
  Numbers numbers(6);
  for (int s = 0; s < kSystems; ++s)
    for (int i = 0; i < kSize * kSize; ++i)
      matrices[Place(s, i)] = numbers.Float() + (i % (kSize + 1) == 0 ? kSize : 0);  // the diagonal outweighs the rest
  for (float& side : sides) side = numbers.Float();
  const float *m = OnDevice(matrices), *b = OnDevice(sides);
  float* x = OnDevice<float>(sides.size());
  for (int i = 0; i < kLaunches; ++i) solve_small<<<kSystems / kThreads, kThreads>>>(m, b, x);
  return FromDevice(x, sides.size());
}
