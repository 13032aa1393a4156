// SPDX-License-Identifier: Apache-2.0
// A step of Gaussian elimination: from each row a multiple of the pivot row is taken away, four rows a thread. Blocks
// have 64 threads, or 16.
// Limits on an H100: an SM takes 32 blocks: 64 full warps of them, or 32 half-empty ones with a quarter of the
// threads, of which each keeps 16 bytes in flight: 8 KB instead of 32, a third to a half of what device memory takes
// to be busy. Four times as many blocks have to be dealt out, too. 2 to 4 times as long.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kRows = 4;  // of a thread

template <int kThreads>
__device__ void Eliminate(const float* in, float* out, int n) {
  const std::size_t column = blockIdx.x * kThreads + threadIdx.x;
  const float pivot = in[column];  // the pivot row is the first
  const float* cell = in + static_cast<std::size_t>(blockIdx.y * kRows + 1) * n + column;
  float* to = out + static_cast<std::size_t>(blockIdx.y * kRows) * n + column;
  float value[kRows];
#pragma unroll
  for (int row = 0; row < kRows; ++row) value[row] = cell[static_cast<std::size_t>(row) * n];
  const float* factor = in + static_cast<std::size_t>(n + 1) * n + blockIdx.y * kRows;
#pragma unroll
  for (int row = 0; row < kRows; ++row) to[static_cast<std::size_t>(row) * n] = fmaf(-factor[row], pivot, value[row]);
}
}  // namespace

constexpr int k64Line = __LINE__ + 1;
extern "C" __global__ void eliminate_blocks_of_64(const float* in, float* out, int n) { Eliminate<64>(in, out, n); }
constexpr int k16Line = __LINE__ + 1;
extern "C" __global__ void eliminate_blocks_of_16(const float* in, float* out, int n) { Eliminate<16>(in, out, n); }

namespace culprit {
namespace {

// The pivot row, n rows and their n factors; n is a multiple of 64.
template <int kThreads>
LaunchConfig Config(int n) {
  return {dim3(n / kThreads, n / kRows), dim3(kThreads), 0};
}

struct Job {
  static constexpr std::size_t kEvery = 13;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(n + 2) * n, 1); }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(n) * n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    const double factor = in[static_cast<std::size_t>(n + 1) * n + i / n];
    return {in[n + i] - factor * in[i % n], 2 * kFloatUnit};
  }
};

}  // namespace

PlantedPair EliminateBlockPair() {
  const AlikeKernels both("takes a multiple of the pivot row from each row", "threads of a block",
                          "kernels/planted/eliminate_block.cu");
  return {
      .id = "eliminate_block",
      .base = ElementsKernel<Job, ::eliminate_blocks_of_64, Config<64>>(both, "64", "eliminate_blocks_of_64", k64Line),
      .candidate =
          ElementsKernel<Job, ::eliminate_blocks_of_16, Config<16>>(both, "16", "eliminate_blocks_of_16", k16Line),
      .sizes = {4096, 6144},
      .flop = [](int n) { return 2.0 * n * n; },
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
