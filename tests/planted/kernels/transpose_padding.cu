// SPDX-License-Identifier: Apache-2.0
// Matrix transpose through a tile in shared memory, which one pair of lines writes by rows and reads by columns.
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kTile = 32;
constexpr int kRows = 8;  // of a tile that a block's threads cover at once

// `Row` is the distance between the tile's rows in floats.
template <int Row>
__device__ void Transpose(const float* in, float* out, int n) {
  __shared__ float tile[kTile][Row];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * kTile, row = static_cast<int>(blockIdx.y) * kTile;
  for (int i = 0; i < kTile; i += kRows) tile[y + i][x] = in[static_cast<std::size_t>(row + y + i) * n + column + x];
  __syncthreads();
  for (int i = 0; i < kTile; i += kRows) out[static_cast<std::size_t>(column + y + i) * n + row + x] = tile[x][y + i];
}
}  // namespace

constexpr int kPaddedLine = __LINE__ + 1;
extern "C" __global__ void transpose_padded(const float* in, float* out, int n) { Transpose<kTile + 1>(in, out, n); }
constexpr int kUnpaddedLine = __LINE__ + 1;
extern "C" __global__ void transpose_unpadded(const float* in, float* out, int n) { Transpose<kTile>(in, out, n); }

namespace culprit {
namespace {

// An n x n matrix; n is a multiple of the tile.
LaunchConfig Config(int n) { return {dim3(n / kTile, n / kTile), dim3(kTile, kRows), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const std::size_t count = static_cast<std::size_t>(n) * n;
  const std::vector<float> values = UniformFloats(count, 1);
  const auto in = Uploaded(values);
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(n), stream, in->As<float>(), out->As<float>(), n);
  };
  run.check = [=, launch = run.launch] {
    std::vector<double> wanted(count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) wanted[j * n + i] = values[i * n + j];
    return CheckFloats({launch, {}}, out->As<float>(), wanted);
  };
  return run;
}

}  // namespace

PlantedPair TransposePaddingPair() {
  const AlikeKernels both("transposes through a 32 x 32 tile in shared memory", "tile row",
                          "kernels/planted/transpose_padding.cu");
  return {.id = "transpose_padding",
          .base = both.With("33 floats", "transpose_padded", kPaddedLine, ::transpose_padded, Config,
                            Make<::transpose_padded>),
          .candidate = both.With("32 floats", "transpose_unpadded", kUnpaddedLine, ::transpose_unpadded, Config,
                                 Make<::transpose_unpadded>),
          .sizes = {2048, 4096},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
