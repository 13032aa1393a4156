// SPDX-License-Identifier: Apache-2.0
// Softmax of rows of 32 floats, one thread a row, through a tile of shared memory for each warp.
// Rows 41 floats apart: 230 wavefronts for a warp's 8 KB of traffic, which device memory takes 560 cycles of an SM for.
// Rows 40 floats apart: 8 lanes meet in a bank, five accesses an element, so 1350 wavefronts.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kColumns = 32;
constexpr int kThreads = 128;
constexpr int kWarp = 32;

// `kRow` is the distance between the tile's rows in floats. Loops over a row are not unrolled all the way, so that the
// row does not stay in registers from one to the next.
template <int kRow>
__device__ void Softmax(const float* in, float* out) {
  __shared__ float tiles[kThreads][kRow];
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const std::size_t first = (static_cast<std::size_t>(blockIdx.x) * kThreads + warp * kWarp) * kColumns;
  float(*tile)[kRow] = tiles + warp * kWarp;
#pragma unroll 8
  for (int i = 0; i < kWarp; ++i) tile[i][lane] = in[first + i * kColumns + lane];
  __syncwarp();
  float* row = tile[lane];
  float largest = row[0];
#pragma unroll 8
  for (int j = 1; j < kColumns; ++j) largest = fmaxf(largest, row[j]);
  float sum = 0;
#pragma unroll 8
  for (int j = 0; j < kColumns; ++j) {
    const float power = __expf(row[j] - largest);
    row[j] = power;
    sum += power;
  }
  const float scale = 1 / sum;
#pragma unroll 8
  for (int j = 0; j < kColumns; ++j) row[j] *= scale;
  __syncwarp();
#pragma unroll 8
  for (int i = 0; i < kWarp; ++i) out[first + i * kColumns + lane] = tile[i][lane];
}
}  // namespace

constexpr int kOddLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) softmax_rows_41(const float* in, float* out) {
  Softmax<41>(in, out);
}
constexpr int kEvenLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) softmax_rows_40(const float* in, float* out) {
  Softmax<40>(in, out);
}

namespace culprit {
namespace {

// `rows` is a multiple of the block.
LaunchConfig Config(int rows) { return {dim3(static_cast<unsigned>(rows) / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int rows) {
  const std::size_t count = static_cast<std::size_t>(rows) * kColumns;
  const auto values = std::make_shared<std::vector<float>>(UniformFloats(count, 1));
  const auto in = Uploaded(*values);
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(rows), stream, in->As<float>(), out->As<float>());
  };
  run.check = [=, launch = run.launch] {
    const std::vector<std::size_t> where = SpreadIndices(count, 20'000);
    std::vector<double> wanted, bound;
    for (const std::size_t at : where) {
      const float* row = values->data() + at / kColumns * kColumns;
      double sum = 0;
      for (int j = 0; j < kColumns; ++j) sum += std::exp(double{row[j]});
      wanted.push_back(std::exp(double{(*values)[at]}) / sum);
      // Units of 2^-24: 31 additions; twice the difference's 2 and __expf's 2 + 1.173 * 2 ulp (CUDA C++ Programming
      // Guide, intrinsic functions), in the term and in the sum; reciprocal and product.
      bound.push_back(64 * kFloatUnit * wanted.back());
    }
    return CheckFloatsAt({launch, {}}, out->As<float>(), count, where, wanted, bound);
  };
  return run;
}

}  // namespace

PlantedPair SoftmaxRowsPair() {
  const AlikeKernels both("computes the softmax of rows of 32 floats, one thread a row, in shared memory", "tile row",
                          "kernels/planted/softmax_rows.cu");
  return {
      .id = "softmax_rows",
      .base = both.With("41 floats", "softmax_rows_41", kOddLine, ::softmax_rows_41, Config, Make<::softmax_rows_41>),
      .candidate =
          both.With("40 floats", "softmax_rows_40", kEvenLine, ::softmax_rows_40, Config, Make<::softmax_rows_40>),
      .sizes = {1 << 19, 1 << 20},
      .flop = nullptr,
      .min_bytes = [](int rows) { return 2.0 * sizeof(float) * kColumns * rows; }};
}

}  // namespace culprit
