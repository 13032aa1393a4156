// SPDX-License-Identifier: Apache-2.0
// Throughput of atomic additions whose result is unused.
#include "db/machine_figure.h"
#include "profiler/machine/block_cycles.cuh"
#include "profiler/machine/probes.h"

namespace culprit {
namespace {

constexpr int kThreads = 1024;

__global__ void __launch_bounds__(kThreads, 1) CulpritSharedAtomics(int rounds, long long* cycles) {
  __shared__ unsigned words[kThreads];
  words[threadIdx.x] = 0;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x));
  BlockClock clock;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r) asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address) : "memory");
  clock.Stop(cycles);
}

// `stride` 0: all threads of the GPU add to one word.
__global__ void __launch_bounds__(kThreads, 1)
    CulpritGlobalAtomics(unsigned* words, unsigned stride, int rounds, long long* cycles) {
  unsigned* mine = words + stride * (blockIdx.x * kThreads + threadIdx.x);
  BlockClock clock;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(mine) : "memory");
  __threadfence();
  clock.Stop(cycles);
}

}  // namespace

void MeasureAtomics(const Device& device, Figures& into) {
  const int sms = device.sm_count;
  constexpr int kSharedRounds = 500, kRounds = 200, kContendedRounds = 20;
  const double shared =
      MiddleOf(CyclesOfBlocks(sms, [&](long long* c) { CulpritSharedAtomics<<<sms, kThreads>>>(kSharedRounds, c); }));
  AddFigure(into, figures::kSharedAtomics, 1.0 * kThreads * kSharedRounds / shared);

  const OnDevice<unsigned> words(static_cast<std::size_t>(sms) * kThreads);
  const auto last = [&](unsigned stride, int rounds) {
    const auto cycles = CyclesOfBlocks(
        sms, [&](long long* c) { CulpritGlobalAtomics<<<sms, kThreads>>>(words.get(), stride, rounds, c); });
    return static_cast<double>(*std::max_element(cycles.begin(), cycles.end()));
  };
  last(1, 1);
  AddFigure(into, figures::kGlobalAtomics, 1.0 * kThreads * kRounds / last(1, kRounds));
  AddFigure(into, figures::kContendedAtomics, 1.0 * sms * kThreads * kContendedRounds / last(0, kContendedRounds));
}

}  // namespace culprit
