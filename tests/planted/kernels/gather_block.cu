// SPDX-License-Identifier: Apache-2.0
// Gathers values from scattered places, one a thread, in blocks of 256 threads or of 1.
// Limits on an H100: blocks of 256 fill an SM with 2048 threads; the table, 4 MB, lies in L2: some 10 us at 4 Mi. Of
// blocks of one thread an SM takes 32, so 32 loads are under way instead of 2048, and 4 Mi blocks have to be dealt
// out, a handful of ns each. 50 times as long and more.
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr unsigned kTable = 1 << 20;  // floats

template <unsigned kThreads>
__device__ void Gather(const float* table, float* out) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  out[i] = table[i * 2654435761u % kTable];
}
}  // namespace

constexpr int k256Line = __LINE__ + 1;
extern "C" __global__ void gather_blocks_of_256(const float* in, float* out) { Gather<256>(in, out); }
constexpr int k1Line = __LINE__ + 1;
extern "C" __global__ void gather_blocks_of_1(const float* in, float* out) { Gather<1>(in, out); }

namespace culprit {
namespace {

template <int kThreads>
LaunchConfig Config(int n) {
  return {dim3(n / kThreads), dim3(kThreads), 0};
}

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int) { return UniformFloats(kTable, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    return {in[static_cast<unsigned>(i) * 2654435761u % kTable]};
  }
};

}  // namespace

PlantedPair GatherBlockPair() {
  const AlikeKernels both("gathers values from scattered places", "threads of a block",
                          "kernels/planted/gather_block.cu");
  return {
      .id = "gather_block",
      .base = ElementsKernel<Job, ::gather_blocks_of_256, Config<256>>(both, "256", "gather_blocks_of_256", k256Line),
      .candidate = ElementsKernel<Job, ::gather_blocks_of_1, Config<1>>(both, "1", "gather_blocks_of_1", k1Line),
      .sizes = {1 << 20, 4 << 20},
      .flop = nullptr,
      .min_bytes = nullptr};
}

}  // namespace culprit
