// SPDX-License-Identifier: Apache-2.0
// Latencies: one lane follows a chain of loads, each of which returns the address of the next. For L2 and device memory
// also while other warps of all SMs load.
#include <utility>

#include "db/machine_figure.h"
#include "profiler/machine/block_cycles.cuh"
#include "profiler/machine/memory.cuh"
#include "profiler/machine/probes.h"

namespace culprit {
namespace {

constexpr int kHops = 256;
constexpr unsigned kLine = 8;  // a 128-byte line holds 8 values of 16 bytes

__global__ void CulpritSharedChase(long long* cycles, unsigned* sink) {
  __shared__ unsigned next[64];
  for (unsigned i = 0; i < 64; ++i) next[i] = static_cast<unsigned>(__cvta_generic_to_shared(next + (i + 33) % 64));
  unsigned at = next[0];
  const long long began = clock64();
#pragma unroll 16
  for (int hop = 0; hop < kHops; ++hop) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at));
  if (at == 1) *sink = 1;
  *cycles = clock64() - began;
}

template <class T>
__global__ void CulpritDependent(T a, long long* cycles, T* sink) {
  T x = a;
  const long long began = clock64();
#pragma unroll
  for (int i = 0; i < kHops; ++i) {
    if constexpr (sizeof(T) == 4)
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
    else
      asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(a));
  }
  *sink = x;  // waits for the last load
  *cycles = clock64() - began;
}

template <class T>
double DependentLatency() {
  const OnDevice<T> sink(1);
  double cycles = 0;
  for (int pass = 0; pass < 2; ++pass)
    cycles = MiddleOf(CyclesOfBlocks(1, [&](long long* c) { CulpritDependent<T><<<1, 1>>>(T(0.999), c, sink.get()); }));
  return cycles / kHops;
}

// The first value of every line is the offset, in values, of the next line. Golden-ratio steps keep successive lines
// far apart.
__global__ void CulpritChain(uint4* lines, unsigned mask) {
  const unsigned of = mask / kLine + 1, hop = static_cast<unsigned>(0.6180339887 * of) | 1;
  for (unsigned line = blockIdx.x * blockDim.x + threadIdx.x; line < of; line += gridDim.x * blockDim.x)
    lines[line * kLine].x = (line + hop) % of * kLine;
}

__global__ void CulpritL1Chase(const uint4* lines, long long* cycles, unsigned* sink) {
  unsigned at = 0;
  long long began = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the first pass loads the lines into the cache
    began = clock64();
#pragma unroll 16
    for (int hop = 0; hop < kHops; ++hop) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(lines + at));
  }
  if (at == 1) *sink = 1;
  *cycles = clock64() - began;
}

// Warp 0 of each block follows the chain; the others load until it is done.
__global__ void CulpritLoadedChase(const uint4* lines, unsigned mask, unsigned launch, long long* chase,
                                   long long* loads, unsigned* sink) {
  __shared__ volatile int done;
  __shared__ unsigned long long loaded;
  if (threadIdx.x == 0) done = 0, loaded = 0;
  __syncthreads();
  // Each launch uses another part of the chain, so that no line from device memory is in L2 yet.
  const unsigned salt = ((blockIdx.x + launch * gridDim.x) * 2654435761u) & mask & ~(kLine - 1);
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) {
      unsigned at = salt;
      const long long began = clock64();
#pragma unroll 8
      for (int hop = 0; hop < kHops; ++hop)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(lines + (at & mask)));
      chase[blockIdx.x] = clock64() - began;
      if (at == 1) *sink = 1;
      done = 1;
    }
  } else {
    unsigned place = salt * 3 + threadIdx.x + blockIdx.x * 8192u, sum = 0;
    unsigned long long mine = 0;
    while (!done) {
      uint4 v[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) v[k] = __ldcg(lines + ((place + k * blockDim.x) & mask));
      sum ^= v[0].x ^ v[1].y;
      place += 2 * blockDim.x;
      mine += 2;
    }
    if (sum == 0x9e3779b9) *sink = 1;
    atomicAdd(&loaded, mine);
  }
  __syncthreads();
  if (threadIdx.x == 0) loads[blockIdx.x] = static_cast<long long>(loaded);
}

void MeasureLoaded(const Device& device, const Region& region, std::string_view name, Figures& into) {
  CulpritChain<<<device.sm_count * 8, 256>>>(region.lines.get(), region.mask);
  const OnDevice<unsigned> sink(1);
  const int blocks = device.sm_count;
  unsigned launch = 0;
  for (const int others : {0, 1, 2, 4, 8, 16, 31}) {
    std::vector<long long> loads;
    double latency = 0;
    for (int pass = 0; pass < 2; ++pass) {
      const OnDevice<long long> loaded(static_cast<std::size_t>(blocks));
      latency = MiddleOf(CyclesOfBlocks(blocks, [&](long long* c) {
        CulpritLoadedChase<<<blocks, 32 * (1 + others)>>>(region.lines.get(), region.mask, launch++, c, loaded.get(),
                                                          sink.get());
      }));
      loads = loaded.Values();
    }
    AddFigure(into, name, latency / kHops, 16 * MiddleOf(std::move(loads)) / latency);
  }
}

}  // namespace

void MeasureLatencies(const Device& device, Figures& into) {
  AddFigure(into, figures::kFp32Latency, DependentLatency<float>());
  AddFigure(into, figures::kFp64Latency, DependentLatency<double>());
  const OnDevice<unsigned> sink(1);
  for (int pass = 0; pass < 2; ++pass) {
    const double cycles =
        MiddleOf(CyclesOfBlocks(1, [&](long long* c) { CulpritSharedChase<<<1, 1>>>(c, sink.get()); }));
    if (pass == 1) AddFigure(into, figures::kSharedLatency, cycles / kHops);
  }
  {
    const Region near(16 << 10);  // 128 lines
    CulpritChain<<<1, 128>>>(near.lines.get(), near.mask);
    const double cycles =
        MiddleOf(CyclesOfBlocks(1, [&](long long* c) { CulpritL1Chase<<<1, 1>>>(near.lines.get(), c, sink.get()); }));
    AddFigure(into, figures::kL1Latency, cycles / kHops);
  }
  MeasureLoaded(device, InL2(device), figures::kL2Latency, into);
  MeasureLoaded(device, BeyondL2(device), figures::kDramLatency, into);
}

}  // namespace culprit
