// SPDX-License-Identifier: Apache-2.0
// Waits for L2's atomics: every thread adds to one of 4096 counters a round, the lanes of a warp far apart.
// 132 x 128 threads add 6.8 million times in 400 rounds: about 205 us, since twice as many took 411 us on an H100.
// Which counters a round meets is the last one's choice moved along, so each round costs the same, and every thread
// does every round.
#include "tests/noise/kernels/run.h"

namespace {
constexpr int kThreads = 128;
constexpr int kBlocksPerSm = 1;
constexpr unsigned kCounters = 4096;  // as many as 32 - 20 bits can name

// Multiples of the golden ratio of 2^32 (Knuth, TAOCP 3, 6.4): consecutive threads and rounds are spread evenly.
__host__ __device__ constexpr unsigned CounterOf(unsigned thread, unsigned round) {
  return (thread * 2654435769u + round * 40503001u) >> 20;
}
}  // namespace

constexpr int kLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) noise_atomics(unsigned* counters, int rounds) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round)
    atomicAdd(counters + CounterOf(thread, static_cast<unsigned>(round)), 1u);
}

namespace culprit {
namespace {

NoiseRun Make() {
  const int blocks = SmCount() * kBlocksPerSm;
  const auto counters = std::make_shared<DeviceMemory>(kCounters * sizeof(unsigned));
  FillBytes(counters->As<unsigned>(), 0, kCounters * sizeof(unsigned));
  NoiseRun run;
  // Counts go on from launch to launch, and wrap: clearing them would be a second kernel in the measured time.
  run.launch = [=](int rounds, cudaStream_t stream) {
    EnqueuePlanted("noise_atomics", ::noise_atomics, {dim3(blocks), dim3(kThreads), 0}, stream,
                   counters->As<unsigned>(), rounds);
  };
  run.check = [=, launch = run.launch](int rounds) {
    FillBytes(counters->As<unsigned>(), 0, kCounters * sizeof(unsigned));
    launch(rounds, nullptr);
    std::vector<unsigned> wanted(kCounters);
    for (int round = 0; round < rounds; ++round)
      for (unsigned thread = 0; thread < static_cast<unsigned>(blocks) * kThreads; ++thread)
        ++wanted[CounterOf(thread, static_cast<unsigned>(round))];
    return CheckEqual(Downloaded(counters->As<unsigned>(), kCounters), wanted);
  };
  return run;
}

}  // namespace

NoiseKernel NoiseAtomics() {
  return {.id = "noise_atomics",
          .idea = "adds to 4096 counters in L2",
          .work_unit = "rounds",
          .work = 400,
          .source_file = "kernels/noise/atomics.cu",
          .source_line = kLine,
          .block_threads = kThreads,
          .min_bytes = nullptr,
          .make = Make};
}

}  // namespace culprit
