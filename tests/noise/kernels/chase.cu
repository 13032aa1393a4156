// SPDX-License-Identifier: Apache-2.0
// Waits for L2's latency: each warp follows a chain of nodes of 128 bytes, one load in flight, 16 warps on an SM.
// A step takes 250 to 300 cycles on an H100, so 1200 steps are 155 to 205 us; the launch is 3 us of it. 8 MiB of nodes
// lie in L2 after the first launch, and loads go past L1, so the time of a step does not depend on how many there are.
// All of them together ask L2 for 132 x 16 x 128 bytes in 250 cycles, 1.9 TB/s at 1.75 GHz: the latency is the limit,
// not that.
#include <algorithm>
#include <cstdint>

#include "tests/noise/kernels/run.h"

namespace {
constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr int kBlocksPerSm = 4;
constexpr unsigned kNodes = 1u << 16;
constexpr int kNodeWords = 32;  // every word of a node names the next node: the 32 lanes load one line
}  // namespace

constexpr int kLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    noise_chase(const unsigned* nodes, const unsigned* starts, unsigned* ends, int steps) {
  const unsigned warp = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  unsigned node = starts[warp];
#pragma unroll 1
  for (int step = 0; step < steps; ++step) node = __ldcg(nodes + node * kNodeWords + lane);
  ends[warp * 32 + lane] = node;
}

namespace culprit {
namespace {

// All nodes in the order of one cycle.
std::vector<unsigned> Cycle() {
  std::vector<unsigned> cycle(kNodes);
  for (unsigned i = 0; i < kNodes; ++i) cycle[i] = i;
  std::uint64_t state = 1;
  for (unsigned i = kNodes - 1; i > 0; --i) {
    // Knuth's MMIX generator (TAOCP 2, 3.3.4): the same shuffle on every machine, which std::shuffle does not promise.
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(cycle[i], cycle[(state >> 33) % (i + 1)]);
  }
  return cycle;
}

NoiseRun Make() {
  const int blocks = SmCount() * kBlocksPerSm;
  const unsigned warps = static_cast<unsigned>(blocks * kWarps);
  const std::vector<unsigned> cycle = Cycle();
  std::vector<unsigned> nodes(static_cast<std::size_t>(kNodes) * kNodeWords), starts(warps);
  for (unsigned i = 0; i < kNodes; ++i)
    std::fill_n(nodes.begin() + static_cast<std::ptrdiff_t>(cycle[i]) * kNodeWords, kNodeWords,
                cycle[(i + 1) % kNodes]);
  // Spread over the cycle: warps close behind one another would share what is on its way.
  const auto place = [warps](unsigned warp) {
    return static_cast<unsigned>(static_cast<std::uint64_t>(warp) * kNodes / warps);
  };
  for (unsigned warp = 0; warp < warps; ++warp) starts[warp] = cycle[place(warp)];
  const auto device_nodes = Uploaded(nodes), device_starts = Uploaded(starts);
  const std::size_t count = static_cast<std::size_t>(warps) * 32;
  const auto ends = std::make_shared<DeviceMemory>(count * sizeof(unsigned));
  NoiseRun run;
  run.launch = [=](int steps, cudaStream_t stream) {
    EnqueuePlanted("noise_chase", ::noise_chase, {dim3(blocks), dim3(kThreads), 0}, stream,
                   device_nodes->As<unsigned>(), device_starts->As<unsigned>(), ends->As<unsigned>(), steps);
  };
  run.check = [=, launch = run.launch](int steps) {
    FillBytes(ends->As<unsigned>(), 0xff, count * sizeof(unsigned));
    launch(steps, nullptr);
    std::vector<unsigned> wanted(count);
    for (unsigned i = 0; i < count; ++i) wanted[i] = cycle[(place(i / 32) + static_cast<unsigned>(steps)) % kNodes];
    return CheckEqual(Downloaded(ends->As<unsigned>(), count), wanted);
  };
  return run;
}

}  // namespace

NoiseKernel NoiseChase() {
  return {.id = "noise_chase",
          .idea = "follows chains of nodes that lie in L2, one load at a time",
          .work_unit = "steps",
          .work = 1200,
          .source_file = "kernels/noise/chase.cu",
          .source_line = kLine,
          .block_threads = kThreads,
          .min_bytes = nullptr,
          .make = Make};
}

}  // namespace culprit
