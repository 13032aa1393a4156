// SPDX-License-Identifier: Apache-2.0
#include "kinds.h"

namespace kinds {
namespace {

constexpr int kThreads = 128 * 132;
constexpr double kLaunchesASecond = 1e6 / 3;
constexpr std::uint32_t kSteps = 1100;  // about 3 us

// A linear congruential generator for each thread.
__global__ void Advance(std::uint32_t* states) {
  std::uint32_t state = states[blockIdx.x * blockDim.x + threadIdx.x];
  for (std::uint32_t step = 0; step < kSteps; ++step) state = state * 1664525u + 1013904223u;
  states[blockIdx.x * blockDim.x + threadIdx.x] = state;
}

// The GPU comes to a batch after the host has launched all of it.
constexpr int kBatch = 500, kEvery = 10;
constexpr long long kHoldCycles = 8'000'000;  // 4 ms
__global__ void Hold() {
  const long long began = clock64();
  while (clock64() - began < kHoldCycles) {
  }
}

// The state after `steps` steps from `state`, by squaring the map.
std::uint32_t After(std::uint32_t state, std::uint64_t steps) {
  std::uint32_t factor = 1664525u, summand = 1013904223u;
  for (; steps > 0; steps >>= 1) {
    if (steps & 1) state = state * factor + summand;
    summand = summand * factor + summand;
    factor *= factor;
  }
  return state;
}

}  // namespace

bool Launches(double seconds) {
  const int launches = Rounds(seconds, kLaunchesASecond);
  std::vector<std::uint32_t> states(kThreads);
  for (int i = 0; i < kThreads; ++i) states[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(i);
  const Array<std::uint32_t> on_gpu(states);
  GpuTime time;
  for (int i = 0; i < launches; ++i) {
    const bool is_held = i / kBatch % kEvery == 0;
    if (is_held && i % kBatch == 0) {
      Hold<<<1, 1>>>();
      time.Mark();
    }
    Advance<<<kThreads / 128, 128>>>(on_gpu.get());
    if (is_held && (i % kBatch == kBatch - 1 || i == launches - 1)) time.Mark();
  }
  Check(cudaGetLastError());
  const std::vector<std::uint32_t> got = on_gpu.Values();
  std::size_t right = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    right += got[i] == After(states[i], std::uint64_t{kSteps} * static_cast<std::uint64_t>(launches)) ? 1 : 0;
  std::printf("%d launches\n", launches);
  return Is("generators in the right state", static_cast<double>(right), kThreads, 0);
}

}  // namespace kinds
