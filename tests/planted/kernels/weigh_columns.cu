// SPDX-License-Identifier: Apache-2.0
// Each column of a matrix times its weight, four elements a thread. The column comes from the block's place in the
// grid, or is the remainder of the element's index by the row's length, which only the launch knows.
// Limits on an H100: device memory in both, 8 bytes an element: 0.3 GB in 0.1 ms at 6144. The remainder adds some 25
// instructions to a warp's 20, where device memory takes 75 cycles of an SM, room for 300 instructions.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;

template <bool kDivides>
__device__ void Weigh(const float4* in, float4* out, int n) {
  const unsigned quads = static_cast<unsigned>(n) / 4;  // of a row
  const unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * kThreads + threadIdx.x;
  const unsigned column = kDivides ? i % quads : blockIdx.x * kThreads + threadIdx.x;
  const float4 weight = in[column], value = in[quads + i];  // the weights are the first row
  out[i] = {weight.x * value.x, weight.y * value.y, weight.z * value.z, weight.w * value.w};
}
}  // namespace

constexpr int kGridLine = __LINE__ + 1;
extern "C" __global__ void weigh_by_grid(const float4* in, float4* out, int n) { Weigh<false>(in, out, n); }
constexpr int kRemainderLine = __LINE__ + 1;
extern "C" __global__ void weigh_by_remainder(const float4* in, float4* out, int n) { Weigh<true>(in, out, n); }

namespace culprit {
namespace {

// An n x n matrix below a row of n weights; n is a multiple of 1024.
LaunchConfig Config(int n) { return {dim3(n / (4 * kThreads), n), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 13;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(n + 1) * n, 1); }
  static std::size_t Outputs(int n) { return static_cast<std::size_t>(n) * n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int n) {
    return {double{in[i % n]} * in[n + i], kFloatUnit};
  }
};

}  // namespace

PlantedPair WeighColumnsPair() {
  const AlikeKernels both("multiplies each column of a matrix by its weight", "column of an element",
                          "kernels/planted/weigh_columns.cu");
  return {.id = "weigh_columns",
          .base = ElementsKernel<Job, ::weigh_by_grid, Config>(both, "by the grid", "weigh_by_grid", kGridLine),
          .candidate = ElementsKernel<Job, ::weigh_by_remainder, Config>(both, "by a remainder", "weigh_by_remainder",
                                                                         kRemainderLine),
          .sizes = {4096, 6144},
          .flop = [](int n) { return 1.0 * n * n; },
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n * n; }};
}

}  // namespace culprit
