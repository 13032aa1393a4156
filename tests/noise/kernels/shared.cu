// SPDX-License-Identifier: Apache-2.0
// Waits for shared memory: 16 loads without bank conflicts a round, one wavefront each, and half as many additions.
// Per round an SM moves 16 wavefronts for each of 32 warps at one a cycle: 512 cycles, so 400 rounds take about 205 000
// cycles, 105 to 117 us at 1.95 to 1.75 GHz. Every thread does every round; filling the table and the launch are 3 us.
#include "tests/noise/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kLoads = 16;
constexpr int kWords = kThreads * kLoads;
constexpr int kBlocksPerSm = 4;

// No two columns of the table have the same sum, and no round adds 0.
__host__ __device__ constexpr unsigned Entry(unsigned word) { return word * 2654435761u + 1; }
}  // namespace

constexpr int kLine = __LINE__ + 2;
// Another column each round: the compiler cannot keep the values in registers.
extern "C" __global__ void __launch_bounds__(kThreads) noise_shared(unsigned* out, int rounds) {
  __shared__ unsigned table[kWords];
  for (int i = 0; i < kLoads; ++i) {
    const unsigned word = threadIdx.x + i * kThreads;
    table[word] = Entry(word);
  }
  __syncthreads();
  unsigned sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const unsigned* column = table + (threadIdx.x + 32 * round) % kThreads;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) sum += column[i * kThreads];
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

namespace culprit {
namespace {

std::vector<unsigned> Wanted(std::size_t count, int rounds) {
  std::vector<unsigned> wanted(count);
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    unsigned sum = 0;
    for (int round = 0; round < rounds; ++round)
      for (unsigned i = 0; i < kLoads; ++i) sum += Entry((thread + 32 * round) % kThreads + i * kThreads);
    for (std::size_t block = 0; block < count; block += kThreads) wanted[block + thread] = sum;
  }
  return wanted;
}

NoiseRun Make() {
  const int blocks = SmCount() * kBlocksPerSm;
  const std::size_t count = static_cast<std::size_t>(blocks) * kThreads;
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(unsigned));
  NoiseRun run;
  run.launch = [=](int rounds, cudaStream_t stream) {
    EnqueuePlanted("noise_shared", ::noise_shared, {dim3(blocks), dim3(kThreads), 0}, stream, out->As<unsigned>(),
                   rounds);
  };
  run.check = [=, launch = run.launch](int rounds) {
    FillBytes(out->As<unsigned>(), 0xff, count * sizeof(unsigned));
    launch(rounds, nullptr);
    return CheckEqual(Downloaded(out->As<unsigned>(), count), Wanted(count, rounds));
  };
  return run;
}

}  // namespace

NoiseKernel NoiseShared() {
  return {.id = "noise_shared",
          .idea = "keeps shared memory busy with loads of one wavefront",
          .work_unit = "rounds",
          .work = 400,
          .source_file = "kernels/noise/shared.cu",
          .source_line = kLine,
          .block_threads = kThreads,
          .min_bytes = nullptr,
          .make = Make};
}

}  // namespace culprit
