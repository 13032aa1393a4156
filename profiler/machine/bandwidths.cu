// SPDX-License-Identifier: Apache-2.0
// Bytes per SM and cycle from each memory level: 32 warps on every SM that only load.
#include <bit>

#include "db/machine_figure.h"
#include "profiler/machine/block_cycles.cuh"
#include "profiler/machine/memory.cuh"
#include "profiler/machine/probes.h"

namespace culprit {
namespace {

constexpr int kThreads = 1024;
constexpr int kLoads = 4;  // per thread, in flight at once

__global__ void __launch_bounds__(kThreads, 1) CulpritSharedLoads(int rounds, long long* cycles, unsigned* sink) {
  __shared__ unsigned words[kThreads];
  words[threadIdx.x] = threadIdx.x;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x));
  unsigned sum = 0;
  BlockClock clock;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    unsigned v[16];
#pragma unroll
    for (unsigned& w : v) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(w) : "r"(address));
#pragma unroll
    for (const unsigned w : v) sum ^= w;
  }
  clock.Stop(cycles);
  if (sum == 0x9e3779b9) *sink = 1;
}

// Each block reads 16 KiB again and again.
__global__ void __launch_bounds__(kThreads, 1)
    CulpritL1Loads(const uint4* from, int rounds, long long* cycles, unsigned* sink) {
  const uint4* mine = from + blockIdx.x * kThreads;
  uint4 sum{};
  BlockClock clock;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    uint4 v[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const uint4* address = mine + (threadIdx.x + 32 * (kLoads * r + k)) % kThreads;
      asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
                   : "l"(address));
    }
#pragma unroll
    for (const uint4& w : v) sum = {sum.x ^ w.x, sum.y ^ w.y, sum.z ^ w.z, sum.w ^ w.w};
  }
  clock.Stop(cycles);
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x9e3779b9) *sink = 1;
}

// Each block reads its own parts of 128 KiB of a region of mask + 1 values, `rounds` times.
constexpr unsigned kPart = 8192;
__global__ void __launch_bounds__(kThreads, 1)
    CulpritL2Loads(const uint4* from, unsigned mask, int rounds, long long* cycles, unsigned* sink) {
  uint4 sum{};
  BlockClock clock;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    const unsigned part = (blockIdx.x + static_cast<unsigned>(r) * gridDim.x) * kPart;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < kPart; i += kThreads * kLoads) {
      uint4 v[kLoads];
#pragma unroll
      for (int k = 0; k < kLoads; ++k) v[k] = __ldcg(from + ((part + i + k * kThreads) & mask));
#pragma unroll
      for (const uint4& w : v) sum = {sum.x ^ w.x, sum.y ^ w.y, sum.z ^ w.z, sum.w ^ w.w};
    }
  }
  clock.Stop(cycles);
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x9e3779b9) *sink = 1;
}

// All SMs read together, so the slowest one counts.
double BytesBeyondL1(const Device& device, const Region& region, int rounds) {
  const OnDevice<unsigned> sink(1);
  double most = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the first pass fills L2 and the TLBs
    const auto cycles = CyclesOfBlocks(device.sm_count, [&](long long* c) {
      CulpritL2Loads<<<device.sm_count, kThreads>>>(region.lines.get(), region.mask, rounds, c, sink.get());
    });
    most = static_cast<double>(*std::max_element(cycles.begin(), cycles.end()));
  }
  return 16.0 * kPart * rounds / most;
}

}  // namespace

void MeasureBandwidths(const Device& device, Figures& into) {
  const int sms = device.sm_count;
  const OnDevice<unsigned> sink(1);
  constexpr int kRounds = 500;
  double cycles = 0;
  for (int pass = 0; pass < 2; ++pass)
    cycles = MiddleOf(
        CyclesOfBlocks(sms, [&](long long* c) { CulpritSharedLoads<<<sms, kThreads>>>(kRounds, c, sink.get()); }));
  AddFigure(into, figures::kShared, 4.0 * kThreads * 16 * kRounds / cycles);

  const OnDevice<uint4> near(static_cast<std::size_t>(sms) * kThreads);
  for (int pass = 0; pass < 2; ++pass)
    cycles = MiddleOf(CyclesOfBlocks(
        sms, [&](long long* c) { CulpritL1Loads<<<sms, kThreads>>>(near.get(), kRounds, c, sink.get()); }));
  AddFigure(into, figures::kL1, 16.0 * kThreads * kLoads * kRounds / cycles);

  AddFigure(into, figures::kL2, BytesBeyondL1(device, InL2(device), 200));
  const Region far = BeyondL2(device);
  // Each part is read once.
  const double parts = (far.mask + 1.0) / kPart;
  AddFigure(into, figures::kDram, BytesBeyondL1(device, far, std::max(1, static_cast<int>(parts / sms))));
}

}  // namespace culprit
