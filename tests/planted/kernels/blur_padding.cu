// SPDX-License-Identifier: Apache-2.0
// A filter of nine taps along the rows of an image, stored transposed, through a tile in shared memory whose rows have
// a word of padding. An index goes by padded rows, or by the 40 words that a row holds.
// Limits on an H100: padded, a warp's nine loads are nine wavefronts and its results 18 cycles of device memory; by 40
// words eight lanes meet in a bank: 72 wavefronts. 2 to 4 times as long. The tile is as large either way.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kTile = 32;
constexpr int kRows = 8;  // of a tile that a block's threads cover at once
constexpr int kTaps = 9;
constexpr int kPad = kTile;  // extra columns of the input: the taps' reach, and rows stay aligned to lines
constexpr int kWidth = kTile + kTaps - 1;

__host__ __device__ constexpr float Tap(int k) { return 1.0f / static_cast<float>(2 + k); }

// `kRow` is the distance between the tile's rows in floats.
template <int kRow>
__device__ void Blur(const float* in, float* out, int n) {
  __shared__ float tile[kTile * (kWidth + 1)];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  for (int y = warp; y < kTile; y += kRows) {
    const float* row = in + static_cast<std::size_t>(top + y) * (n + kPad) + left;
    tile[y * kRow + lane] = row[lane];
    if (lane < kTaps - 1) tile[y * kRow + kTile + lane] = row[kTile + lane];
  }
  __syncthreads();
  for (int x = warp; x < kTile; x += kRows) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) sum = fmaf(Tap(k), tile[lane * kRow + x + k], sum);
    out[static_cast<std::size_t>(left + x) * n + top + lane] = sum;
  }
}
}  // namespace

constexpr int kPaddedLine = __LINE__ + 1;
extern "C" __global__ void blur_padded_rows(const float* in, float* out, int n) { Blur<kWidth + 1>(in, out, n); }
constexpr int kPlainLine = __LINE__ + 1;
extern "C" __global__ void blur_plain_rows(const float* in, float* out, int n) { Blur<kWidth>(in, out, n); }

namespace culprit {
namespace {

// n rows of n + kPad; n is a multiple of the tile.
LaunchConfig Config(int n) { return {dim3(n / kTile, n / kTile), dim3(kTile, kRows), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 13;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(n) * (n + kPad), 1); }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(n) * n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    const std::size_t row = i % n, column = i / n;
    double sum = 0;
    for (int k = 0; k < kTaps; ++k) sum += double{Tap(k)} * in[row * (n + kPad) + column + k];
    return {sum, kTaps * 2 * kFloatUnit};  // a rounding a tap, of sums below 2.02
  }
};

}  // namespace

PlantedPair BlurPaddingPair() {
  const AlikeKernels both("filters rows with nine taps and stores them transposed", "index",
                          "kernels/planted/blur_padding.cu");
  return {
      .id = "blur_padding",
      .base = ElementsKernel<Job, ::blur_padded_rows, Config>(both, "by padded rows", "blur_padded_rows", kPaddedLine),
      .candidate = ElementsKernel<Job, ::blur_plain_rows, Config>(both, "by plain rows", "blur_plain_rows", kPlainLine),
      .sizes = {2048, 4096},
      .flop = [](int n) { return 2.0 * kTaps * n * n; },
      .min_bytes = [](int n) { return 2.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
