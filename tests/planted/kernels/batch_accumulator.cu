// SPDX-License-Identifier: Apache-2.0
// Products of 32 x 32 matrices, a block for each, in one buffer of shared memory. A result is added up in a register,
// or in its place in the buffer: each step stores it, and what is stored may be the next operand for all that the
// compiler knows, so that it loads the operands one at a time.
// Limits on an H100: in a register a step takes 1.25 shared loads a warp, 1300 cycles and more a matrix; device memory
// takes 900. In place 2 loads and a store: 3100 cycles, 1.7 to 2.5 times as long.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kSide = 32;
constexpr int kCells = kSide * kSide;

template <bool kInPlace>
__device__ void Multiply(const float* in, float* out) {
  __shared__ float cells[3 * kCells];  // left, right, product
  const int t = static_cast<int>(threadIdx.x), column = t % kSide;
  const float* mine = in + static_cast<std::size_t>(blockIdx.x) * (2 * kCells);
  for (int i = t; i < 2 * kCells; i += kThreads) cells[i] = mine[i];
  for (int i = t; i < kCells; i += kThreads) cells[2 * kCells + i] = 0;
  __syncthreads();
  for (int i = t; i < kCells; i += kThreads) {
    const int row = i / kSide;
    if (kInPlace) {
#pragma unroll 8
      for (int k = 0; k < kSide; ++k)
        cells[2 * kCells + i] += cells[row * kSide + k] * cells[kCells + k * kSide + column];
    } else {
      float sum = cells[2 * kCells + i];
#pragma unroll 8
      for (int k = 0; k < kSide; ++k) sum += cells[row * kSide + k] * cells[kCells + k * kSide + column];
      cells[2 * kCells + i] = sum;
    }
    out[static_cast<std::size_t>(blockIdx.x) * kCells + i] = cells[2 * kCells + i];
  }
}
}  // namespace

constexpr int kRegisterLine = __LINE__ + 1;
extern "C" __global__ void batch_sum_in_register(const float* in, float* out) { Multiply<false>(in, out); }
constexpr int kInPlaceLine = __LINE__ + 1;
extern "C" __global__ void batch_sum_in_place(const float* in, float* out) { Multiply<true>(in, out); }

namespace culprit {
namespace {

LaunchConfig Config(int products) { return {dim3(products), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 211;
  static std::vector<float> Inputs(int products) {
    return UniformFloats(static_cast<std::size_t>(products) * 2 * kCells, 1);
  }
  static std::size_t Outputs(int products) { return static_cast<std::size_t>(products) * kCells; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    const float* left = in.data() + i / kCells * (2 * kCells) + i % kCells / kSide * kSide;
    const float* right = in.data() + i / kCells * (2 * kCells) + kCells + i % kSide;
    double sum = 0;
    for (int k = 0; k < kSide; ++k) sum += double{left[k]} * right[k * kSide];
    return {sum, 2 * kSide * kFloatUnit * kSide};  // two roundings a step, of sums below 32
  }
};

}  // namespace

PlantedPair BatchAccumulatorPair() {
  const AlikeKernels both("multiplies matrices of 32 x 32, a block for each", "sum",
                          "kernels/planted/batch_accumulator.cu");
  return {.id = "batch_accumulator",
          .base = ElementsKernel<Job, ::batch_sum_in_register, Config>(both, "in a register", "batch_sum_in_register",
                                                                       kRegisterLine),
          .candidate =
              ElementsKernel<Job, ::batch_sum_in_place, Config>(both, "in place", "batch_sum_in_place", kInPlaceLine),
          .sizes = {4096, 16384},
          .flop = [](int products) { return 2.0 * kCells * kSide * products; },
          .min_bytes = [](int products) { return 3.0 * sizeof(float) * kCells * products; }};
}

}  // namespace culprit
