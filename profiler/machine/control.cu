// SPDX-License-Identifier: Apache-2.0
// Instruction fetch and barriers.
#include "db/machine_figure.h"
#include "profiler/machine/block_cycles.cuh"
#include "profiler/machine/probes.h"

namespace culprit {
namespace {

constexpr int kInstructionBytes = 16;  // on every chip since Volta

// A loop of kCode multiply-adds in 8 independent chains, so that a warp can issue nearly one per cycle.
template <int kCode>
__global__ void __launch_bounds__(128, 1) CulpritFetch(int rounds, float a, long long* cycles, float* sink) {
  float x[8] = {a, a, a, a, a, a, a, a};
  BlockClock clock;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < kCode; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 8]) : "f"(a));
  }
  clock.Stop(cycles);
  float sum = 0;
  for (const float v : x) sum += v;
  if (sum == 1.25f) *sink = sum;
}

template <int kCode>
void MeasureFetch(const Device& device, Figures& into) {
  const OnDevice<float> sink(1);
  constexpr int kRounds = 65536 / kCode;
  double cycles = 0;
  for (int pass = 0; pass < 2; ++pass)
    cycles = MiddleOf(CyclesOfBlocks(device.sm_count, [&](long long* c) {
      CulpritFetch<kCode><<<device.sm_count, 128>>>(kRounds, 0.999f, c, sink.get());
    }));
  AddFigure(into, figures::kFetch, cycles / (1.0 * kCode * kRounds), kCode * kInstructionBytes / 1024.0);
}

__global__ void CulpritBarriers(int rounds, long long* cycles) {
  BlockClock clock;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < 16; ++i) asm volatile("bar.sync 0;" ::: "memory");
  }
  clock.Stop(cycles);
}

}  // namespace

void MeasureControl(const Device& device, Figures& into) {
  MeasureFetch<512>(device, into);
  MeasureFetch<4096>(device, into);
  MeasureFetch<16384>(device, into);
  constexpr int kRounds = 16;
  for (const int warps : {1, 4, 8, 16, 32}) {
    const double cycles = MiddleOf(CyclesOfBlocks(
        device.sm_count, [&](long long* c) { CulpritBarriers<<<device.sm_count, 32 * warps>>>(kRounds, c); }));
    AddFigure(into, figures::kBarrier, cycles / (16.0 * kRounds), warps);
  }
}

}  // namespace culprit
