// SPDX-License-Identifier: Apache-2.0
// Adds to each index the first row of its table, by threads that stride over the indices: as many blocks as the GPU
// holds, or five.
// Limits on an H100: all SMs, device memory or L2: 32 MB at 4 Mi in some 10 us. Five blocks leave 127 of 132 SMs idle;
// each goes through a fifth with 1024 threads and a load each in flight, 4 KB in 700 cycles: near 0.3 ms.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 1024;
constexpr int kTables = 64;
constexpr int kAllBlocks = 264;  // two for each SM of an H100 SXM
constexpr int kFewBlocks = 5;

// A table's first row is exact in float: so are indices, below 2^18, and their sums.
__device__ void Linearize(const float* in, float* out, int n) {
  const int threads = static_cast<int>(gridDim.x) * kThreads;
#pragma unroll 4
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < n; i += threads)
    out[i] = in[i] + static_cast<float>(i % kTables << 18);
}
}  // namespace

constexpr int kAllLine = __LINE__ + 1;
extern "C" __global__ void linearize_264_blocks(const float* in, float* out, int n) { Linearize(in, out, n); }
constexpr int kFewLine = __LINE__ + 1;
extern "C" __global__ void linearize_5_blocks(const float* in, float* out, int n) { Linearize(in, out, n); }

namespace culprit {
namespace {

template <int kBlocks>
LaunchConfig Config(int) {
  return {dim3(kBlocks), dim3(kThreads), 0};
}

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) {
    std::vector<float> indices = UniformFloats(n, 1);
    for (float& index : indices) index = static_cast<float>(static_cast<int>((index + 1) * (1 << 17)));
    return indices;
  }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    return {double{in[i]} + static_cast<double>(i % kTables << 18)};
  }
};

}  // namespace

PlantedPair LinearizeBlocksPair() {
  const AlikeKernels both("adds the first row of its table to each index", "blocks",
                          "kernels/planted/linearize_blocks.cu");
  return {.id = "linearize_blocks",
          .base = ElementsKernel<Job, ::linearize_264_blocks, Config<kAllBlocks>>(both, "264", "linearize_264_blocks",
                                                                                  kAllLine),
          .candidate =
              ElementsKernel<Job, ::linearize_5_blocks, Config<kFewBlocks>>(both, "5", "linearize_5_blocks", kFewLine),
          .sizes = {4 << 20, 16 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
