// SPDX-License-Identifier: Apache-2.0
// Gaussian elimination of many systems at once. Each of 256 steps launches the same grid, and leaves less to do for the
// next.
#include <algorithm>

#include "kinds.h"

namespace kinds {
namespace {

constexpr int kSize = 256, kColumns = kSize + 1;  // a matrix, and its right-hand side behind it
constexpr int kSystems = 2048;
constexpr double kRoundsASecond = 20;

// Row by row. The solution is 1, 1, 1 ...
__global__ void Fill(float* systems) {
  float* const row = systems + (static_cast<std::size_t>(blockIdx.x) * kSize + threadIdx.x) * kColumns;
  const std::uint32_t first = (blockIdx.x * kSize + threadIdx.x) * kSize;
  float sum = 0;
  for (std::uint32_t column = 0; column < kSize; ++column) {
    row[column] = NumberAt(first + column) + (column == threadIdx.x ? kSize : 0);
    sum += row[column];
  }
  row[kSize] = sum;
}

__global__ void Factors(const float* systems, float* factors, int step) {
  const float* const system = systems + static_cast<std::size_t>(blockIdx.x) * kSize * kColumns;
  const int row = static_cast<int>(threadIdx.x);
  if (row > step)
    factors[blockIdx.x * kSize + threadIdx.x] = system[row * kColumns + step] / system[step * kColumns + step];
}

// A warp for each row.
__global__ void Eliminate(float* systems, const float* factors, int step) {
  float* const system = systems + static_cast<std::size_t>(blockIdx.x) * kSize * kColumns;
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  for (int row = step + 1 + warp; row < kSize; row += kSize / 32) {
    const float factor = factors[blockIdx.x * kSize + static_cast<unsigned>(row)];
    for (int column = step + lane; column < kColumns; column += 32)
      system[row * kColumns + column] -= factor * system[step * kColumns + column];
  }
}

__global__ void Substitute(const float* systems, float* solutions) {
  const float* const system = systems + static_cast<std::size_t>(blockIdx.x) * kSize * kColumns;
  __shared__ float known[kSize];
  float right = system[threadIdx.x * kColumns + kSize];
  for (int column = kSize - 1; column >= 0; --column) {
    if (static_cast<int>(threadIdx.x) == column) known[column] = right / system[column * kColumns + column];
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < column) right -= known[column] * system[threadIdx.x * kColumns + column];
  }
  solutions[blockIdx.x * kSize + threadIdx.x] = known[threadIdx.x];
}

}  // namespace

bool Shrinking(double seconds) {
  const Array<float> systems(std::size_t{kSystems} * kSize * kColumns);
  const Array<float> factors(std::size_t{kSystems} * kSize), solutions(std::size_t{kSystems} * kSize);
  const int rounds = Rounds(seconds, kRoundsASecond);
  GpuTime time;
  time.Mark();
  for (int round = 0; round < rounds; ++round) {
    Fill<<<kSystems, kSize>>>(systems.get());
    for (int step = 0; step < kSize; ++step) {
      Factors<<<kSystems, kSize>>>(systems.get(), factors.get(), step);
      Eliminate<<<kSystems, kSize>>>(systems.get(), factors.get(), step);
    }
    Substitute<<<kSystems, kSize>>>(systems.get(), solutions.get());
  }
  time.Mark();
  Check(cudaGetLastError());
  double worst = 0;
  for (const float x : solutions.Values()) worst = std::max(worst, std::isnan(x) ? INFINITY : std::abs(x - 1.0));
  std::printf("%d times %d systems of %d equations\n", rounds, kSystems, kSize);
  return Is("largest error", worst, 0, 1e-3);
}

}  // namespace kinds
