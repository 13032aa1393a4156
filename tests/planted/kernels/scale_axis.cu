// SPDX-License-Identifier: Apache-2.0
// A matrix times a scalar. A block covers a tile of 32 x 32 with 32 x 8 threads; either the lanes of a warp lie along a
// row of the tile, or along a column of it.
// Limits on an H100: along rows device memory (8 bytes an element, 0.1 ms at 6080), one line per request of a warp;
// along columns each load and store of a warp meets 32 lines, 32 cycles of L1 each: 37e6 / 32 warps x 2 x 32 cycles /
// 132 SMs = 0.3 ms, and 37e6 stores of 4 bytes to L2. A tile is 4 KB: what a load brings too much stays in L1.
// Kept apart because the axis decides every address; the matrix's rows are no power of two, so that no set fills up.
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kTile = 32;
constexpr int kPerPass = 8;  // rows or columns of a tile that a block's threads cover at once
constexpr float kFactor = 0.75f;

template <bool kAlongRows>
__device__ void Scale(const float* in, float* out, int n) {
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  for (int i = 0; i < kTile; i += kPerPass) {
    const int row = static_cast<int>(blockIdx.y) * kTile + (kAlongRows ? warp + i : lane);
    const int column = static_cast<int>(blockIdx.x) * kTile + (kAlongRows ? lane : warp + i);
    const std::size_t at = static_cast<std::size_t>(row) * n + column;
    out[at] = kFactor * in[at];
  }
}
}  // namespace

constexpr int kRowsLine = __LINE__ + 1;
extern "C" __global__ void scale_along_rows(const float* in, float* out, int n) { Scale<true>(in, out, n); }
constexpr int kColumnsLine = __LINE__ + 1;
extern "C" __global__ void scale_along_columns(const float* in, float* out, int n) { Scale<false>(in, out, n); }

namespace culprit {
namespace {

// An n x n matrix; n is a multiple of the tile.
LaunchConfig Config(int n) { return {dim3(n / kTile, n / kTile), dim3(kTile, kPerPass), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const std::size_t count = static_cast<std::size_t>(n) * n;
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n);
  };
  const auto wanted = [](const std::vector<float>& in, std::size_t i) {
    return Wanted{static_cast<double>(kFactor) * in[i], kFloatUnit};
  };
  return PerElementRun(UniformFloats(count, 1), count, 7, launch, wanted);
}

}  // namespace

PlantedPair ScaleAxisPair() {
  const AlikeKernels both("multiplies a matrix by a scalar, a tile of 32 x 32 per block", "lanes of a warp",
                          "kernels/planted/scale_axis.cu");
  return {.id = "scale_axis",
          .base = both.With("along a row", "scale_along_rows", kRowsLine, ::scale_along_rows, Config,
                            Make<::scale_along_rows>),
          .candidate = both.With("along a column", "scale_along_columns", kColumnsLine, ::scale_along_columns, Config,
                                 Make<::scale_along_columns>),
          .sizes = {95 * kTile, 190 * kTile},
          .flop = [](int n) { return 1.0 * n * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
