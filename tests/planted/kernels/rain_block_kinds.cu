// SPDX-License-Identifier: Apache-2.0
// Totals of the columns of a matrix, one thread a column, one load at a time: plain sums of one kind of column, sums of
// what is above a threshold of the other.
// A  blocks of one warp: an SM takes 32 of them, half of the 64 warps it could hold.
// B  a warp takes halves of two runs of 32 columns, one of each kind, so that it executes both loops.
// A warp waits 700 cycles for each row, 64 warps ask for 12 bytes a cycle and SM of the 14 to 20 that device memory
// gives. A halves the warps, B doubles the steps: 1, A 1.8, B 2, both 4. A is (0.8 + 1.2 / 2) / 3, nearly half.
#include <algorithm>
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kLanes = 32;
constexpr int kRun = 32;  // columns of one kind in a row
constexpr int kRows = 64;
constexpr float kThreshold = 0.25f;

__host__ __device__ constexpr bool IsThresholded(std::size_t column) { return column / kRun % 2 != 0; }

// Which column thread t takes. Halves: lanes 0 to 15 one of the first run of two, the others one of the second.
template <bool kHalves>
__device__ unsigned ColumnOf(unsigned t) {
  if constexpr (!kHalves) return t;
  const unsigned warp = t / kLanes % 2, lane = t % kLanes;
  return t / (2 * kRun) * (2 * kRun) + lane / 16 * kRun + warp * 16 + lane % 16;
}

template <bool kHalves>
__device__ __forceinline__ void Total(const float* in, float* out, int columns) {
  const unsigned column = ColumnOf<kHalves>(blockIdx.x * blockDim.x + threadIdx.x);
  const float* x = in + column;
  const float* const end = x + static_cast<std::size_t>(kRows) * columns;
  float sum = 0;
  if (IsThresholded(column)) {
#pragma unroll 1
    for (; x != end; x += columns) sum += fmaxf(*x - kThreshold, 0.f);
  } else {
#pragma unroll 1
    for (; x != end; x += columns) sum += *x;
  }
  out[column] = sum;
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void rain_blocks_256_runs(const float* in, float* out, int columns) {
  Total<false>(in, out, columns);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void rain_blocks_32_runs(const float* in, float* out, int columns) {
  Total<false>(in, out, columns);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void rain_blocks_256_halves(const float* in, float* out, int columns) {
  Total<true>(in, out, columns);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void rain_blocks_32_halves(const float* in, float* out, int columns) {
  Total<true>(in, out, columns);
}

namespace culprit {
namespace {

// `columns` is a multiple of the block.
template <int kThreads>
LaunchConfig Config(int columns) {
  return {dim3(columns / kThreads), dim3(kThreads), 0};
}

template <auto* kKernel, int kThreads>
PlantedRun Make(int columns) {
  const auto launch = [columns](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config<kThreads>(columns), stream, in, out, columns);
  };
  const auto wanted = [columns](const std::vector<float>& in, std::size_t column) -> Wanted {
    Wanted w;
    double size = 0;
    for (std::size_t row = 0; row < kRows; ++row) {
      const double x = in[row * columns + column];
      w.value += IsThresholded(column) ? std::max(x - kThreshold, 0.0) : x;
      size += std::abs(x) + kThreshold;
    }
    w.bound = (kRows + 1) * kFloatUnit * size;
    return w;
  };
  return PerElementRun(UniformFloats(static_cast<std::size_t>(kRows) * columns, 1), columns, 61, launch, wanted);
}

}  // namespace

PlantedMixture RainBlockKindsMixture() {
  const MixedKernels four("adds up the columns of a matrix, of two kinds", "threads of a block", "columns of a warp",
                          "kernels/planted/rain_block_kinds.cu");
  return {.id = "rain_block_kinds",
          .base = four.With("256", "one run", "rain_blocks_256_runs", kBaseLine, ::rain_blocks_256_runs, Config<256>,
                            Make<::rain_blocks_256_runs, 256>),
          .a = four.With("32", "one run", "rain_blocks_32_runs", kALine, ::rain_blocks_32_runs, Config<32>,
                         Make<::rain_blocks_32_runs, 32>),
          .b = four.With("256", "halves of two runs", "rain_blocks_256_halves", kBLine, ::rain_blocks_256_halves,
                         Config<256>, Make<::rain_blocks_256_halves, 256>),
          .both = four.With("32", "halves of two runs", "rain_blocks_32_halves", kBothLine, ::rain_blocks_32_halves,
                            Config<32>, Make<::rain_blocks_32_halves, 32>),
          .sizes = {1 << 19, 1 << 20},
          .flop = nullptr,
          .min_bytes = [](int columns) { return sizeof(float) * (kRows + 1.0) * columns; }};
}

}  // namespace culprit
