// SPDX-License-Identifier: Apache-2.0
// The spread (largest less smallest) of many rows of 16 numbers, one thread a row. A short kernel on 16 MB in L2: 3 us
// beside 2 to 3 of ramp and launch. With a row's numbers together, each load of a warp meets 16 lines: 1000 loads an SM
// are 16000 cycles of L1, 9 us.
#include <algorithm>
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kNumbers = 16;

// in: [number][row], or [row][number] where kTogether.
template <bool kTogether>
__device__ __forceinline__ void Spread(const float* in, float* out, int rows) {
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  // That numbers lie together helps no load: the compiler does not know that they begin at a multiple of 16 bytes.
  const float* x = in + row * (kTogether ? kNumbers : 1);
  float low = INFINITY, high = -INFINITY;
#pragma unroll
  for (int k = 0; k < kNumbers; ++k) {
    const float value = x[static_cast<std::size_t>(k) * (kTogether ? 1 : rows)];
    low = fminf(low, value);
    high = fmaxf(high, value);
  }
  out[row] = high - low;
}
}  // namespace

constexpr int kColumnLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) spread_by_column(const float* in, float* out, int rows) {
  Spread<false>(in, out, rows);
}
constexpr int kRowLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) spread_by_row(const float* in, float* out, int rows) {
  Spread<true>(in, out, rows);
}

namespace culprit {
namespace {

// `rows` is a multiple of a block.
LaunchConfig Config(int rows) { return {dim3(rows / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel, bool kTogether>
PlantedRun Make(int rows) {
  std::vector<float> in = UniformFloats(static_cast<std::size_t>(rows) * kNumbers, 1);
  if (kTogether) in = Transposed(in, kNumbers, rows);
  const auto launch = [rows](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(rows), stream, in, out, rows);
  };
  const auto wanted = [rows](const std::vector<float>& in, std::size_t row) -> Wanted {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t k = 0; k < kNumbers; ++k) {
      const double value = in[kTogether ? row * kNumbers + k : k * rows + row];
      low = std::min(low, value);
      high = std::max(high, value);
    }
    return {high - low, 2 * kFloatUnit};
  };
  return PerElementRun(std::move(in), rows, 61, launch, wanted);
}

}  // namespace

PlantedPair SpreadRowsPair() {
  const AlikeKernels both("finds the spread of rows of 16 numbers, one thread a row", "numbers of a row",
                          "kernels/planted/spread_rows.cu");
  return {.id = "spread_rows",
          .base = both.With("apart", "spread_by_column", kColumnLine, ::spread_by_column, Config,
                            Make<::spread_by_column, false>),
          .candidate =
              both.With("together", "spread_by_row", kRowLine, ::spread_by_row, Config, Make<::spread_by_row, true>),
          .sizes = {3 << 16, 1 << 18},
          .flop = nullptr,
          .min_bytes = [](int rows) { return sizeof(float) * (kNumbers + 1.0) * rows; }};
}

}  // namespace culprit
