// SPDX-License-Identifier: Apache-2.0
// The Laplace operator on an image with a rim of one pixel. A function reads a pixel, or its body stands at each use.
// Limits on an H100: device memory, 8 bytes a pixel: 0.13 GB in 0.05 ms at 4096; L1 serves 5 requests a warp for them.
// Both are the same machine code: the compiler inlines the function.
#include <cmath>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kColumns = 32, kRows = 8;  // of a block

__device__ float Pixel(const float* in, int n, int row, int column) {
  return in[static_cast<std::size_t>(row) * (n + 2) + column];
}
}  // namespace

constexpr int kCalledLine = __LINE__ + 1;
extern "C" __global__ void laplace_helper_called(const float* in, float* out, int n) {
  const int x = static_cast<int>(blockIdx.x * kColumns + threadIdx.x) + 1;
  const int y = static_cast<int>(blockIdx.y * kRows + threadIdx.y) + 1;
  const float around =
      (Pixel(in, n, y - 1, x) + Pixel(in, n, y + 1, x)) + (Pixel(in, n, y, x - 1) + Pixel(in, n, y, x + 1));
  out[static_cast<std::size_t>(y - 1) * n + (x - 1)] = fmaf(-4.0f, Pixel(in, n, y, x), around);
}
constexpr int kWrittenOutLine = __LINE__ + 1;
extern "C" __global__ void laplace_written_out(const float* in, float* out, int n) {
  const int x = static_cast<int>(blockIdx.x * kColumns + threadIdx.x) + 1;
  const int y = static_cast<int>(blockIdx.y * kRows + threadIdx.y) + 1;
  const float around =
      (in[static_cast<std::size_t>(y - 1) * (n + 2) + x] + in[static_cast<std::size_t>(y + 1) * (n + 2) + x]) +
      (in[static_cast<std::size_t>(y) * (n + 2) + (x - 1)] + in[static_cast<std::size_t>(y) * (n + 2) + (x + 1)]);
  out[static_cast<std::size_t>(y - 1) * n + (x - 1)] =
      fmaf(-4.0f, in[static_cast<std::size_t>(y) * (n + 2) + x], around);
}

namespace culprit {
namespace {

// n x n pixels inside the rim; n is a multiple of 32.
LaunchConfig Config(int n) { return {dim3(n / kColumns, n / kRows), dim3(kColumns, kRows), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 13;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(n + 2) * (n + 2), 1); }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(n) * n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    const std::size_t row = n + 2, at = (i / n + 1) * row + i % n + 1;
    const double wanted = double{in[at - row]} + in[at + row] + in[at - 1] + in[at + 1] - 4.0 * in[at];
    return {wanted, 4 * 8 * kFloatUnit};  // four roundings of values below 8
  }
};

}  // namespace

PlantedPair LaplaceHelperPair() {
  const AlikeKernels both("applies the Laplace operator to an image", "reading a pixel",
                          "kernels/planted/laplace_helper.cu");
  return {.id = "laplace_helper",
          .base = ElementsKernel<Job, ::laplace_helper_called, Config>(both, "a function", "laplace_helper_called",
                                                                       kCalledLine),
          .candidate = ElementsKernel<Job, ::laplace_written_out, Config>(both, "written out", "laplace_written_out",
                                                                          kWrittenOutLine),
          .sizes = {2048, 4096},
          .flop = [](int n) { return 5.0 * n * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
