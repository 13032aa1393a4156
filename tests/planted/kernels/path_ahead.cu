// SPDX-License-Identifier: Apache-2.0
// The cheapest paths down a grid, a strip of 256 columns a block, row after row through shared memory: a cell's cost
// and the cheapest of three above. Four rows are loaded before the first is needed, or each where it is.
// Limits on an H100 with 16 warps an SM, which both reserve shared memory for: a row's barriers and shared loads take
// near 100 cycles, a load from device memory 600 or more. Four at once: 250 cycles a row. Each by itself: 700. The
// compiler moves no load over a barrier. 2 to 3 times as long.
#include <algorithm>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kRows = 256;
constexpr int kAhead = 4;
// Two blocks of this fill an SM's shared memory.
constexpr int kReservedBytes = 108 * 1024;

template <bool kAheadOfUse>
__device__ void CheapestPaths(const float* in, float* out, int n) {
  __shared__ float cost[2][kThreads];
  const int t = static_cast<int>(threadIdx.x), left = max(t - 1, 0), right = min(t + 1, kThreads - 1);
  const std::size_t column = static_cast<std::size_t>(blockIdx.x) * kThreads + t;
  const float* from = in + column;
  float mine = 0;
#pragma unroll 1
  for (int y = 0; y < kRows; y += kAhead) {
    float cell[kAhead];
    if (kAheadOfUse) {
#pragma unroll
      for (int i = 0; i < kAhead; ++i) cell[i] = from[static_cast<std::size_t>(y + i) * n];
    }
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      float* above = cost[i % 2];  // the other buffer makes one barrier enough
      above[t] = mine;
      __syncthreads();
      const float entry = kAheadOfUse ? cell[i] : from[static_cast<std::size_t>(y + i) * n];
      mine = entry + fminf(mine, fminf(above[left], above[right]));
    }
  }
  out[column] = mine;
}
}  // namespace

constexpr int kAheadLine = __LINE__ + 1;
extern "C" __global__ void path_four_rows_ahead(const float* in, float* out, int n) { CheapestPaths<true>(in, out, n); }
constexpr int kWhereLine = __LINE__ + 1;
extern "C" __global__ void path_row_where_needed(const float* in, float* out, int n) {
  CheapestPaths<false>(in, out, n);
}

namespace culprit {
namespace {

// n columns, a multiple of a strip.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), kReservedBytes}; }

struct Job {
  static constexpr std::size_t kEvery = 127;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(n) * kRows, 1); }
  static std::size_t Outputs(int n) { return n; }
  // The paths to one cell come from a cone above it; float sums on the host are those of the device.
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    const std::size_t strip = i / kThreads * kThreads;
    float cost[kThreads] = {}, next[kThreads];
    for (std::size_t y = 0; y < kRows; ++y) {
      for (int t = 0; t < kThreads; ++t)
        next[t] =
            in[y * n + strip + t] + std::min({cost[std::max(t - 1, 0)], cost[t], cost[std::min(t + 1, kThreads - 1)]});
      std::copy_n(next, kThreads, cost);
    }
    return {cost[i % kThreads]};
  }
};

}  // namespace

PlantedPair PathAheadPair() {
  const AlikeKernels both("finds the cheapest paths down a grid, row by row", "a row is loaded",
                          "kernels/planted/path_ahead.cu");
  return {.id = "path_ahead",
          .base = ElementsKernel<Job, ::path_four_rows_ahead, Config>(both, "with three more", "path_four_rows_ahead",
                                                                      kAheadLine),
          .candidate = ElementsKernel<Job, ::path_row_where_needed, Config>(both, "where it is needed",
                                                                            "path_row_where_needed", kWhereLine),
          .sizes = {264 * kThreads, 528 * kThreads},
          .flop = nullptr,
          .min_bytes = [](int n) { return sizeof(float) * (kRows + 1.0) * n; }};
}

}  // namespace culprit
