// SPDX-License-Identifier: Apache-2.0
// What a load costs because of where its data lies: on the host, or at random places of more and more device memory.
#include <algorithm>
#include <cstddef>
#include <span>

#include "db/machine_figure.h"
#include "profiler/machine/block_cycles.cuh"
#include "profiler/machine/probes.h"

namespace culprit {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 4;
constexpr double kGib = 1024.0 * 1024 * 1024;

__global__ void __launch_bounds__(kThreads)
    CulpritHostLoads(const uint4* from, unsigned count, long long* cycles, unsigned* sink) {
  uint4 sum{};
  BlockClock clock;
#pragma unroll 4
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads) {
    const uint4 v = __ldcg(from + i);
    sum = {sum.x ^ v.x, sum.y ^ v.y, sum.z ^ v.z, sum.w ^ v.w};
  }
  clock.Stop(cycles);
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x9e3779b9) *sink = 1;
}

__global__ void __launch_bounds__(kThreads)
    CulpritRandomLoads(const uint4* from, unsigned long long count, int rounds, long long* cycles, unsigned* sink) {
  unsigned long long state = (blockIdx.x * kThreads + threadIdx.x + 1) * 0x9e3779b97f4a7c15ull;
  unsigned sum = 0;
  BlockClock clock;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // G. Marsaglia, "Xorshift RNGs", 2003
    sum += __ldcg(&from[state % count].x);
  }
  clock.Stop(cycles);
  if (sum == 0x9e3779b9) *sink = 1;
}

// Pinned memory of the host that is freed with its owner.
class OnHost {
 public:
  explicit OnHost(std::size_t bytes) {
    CheckCuda(cudaHostAlloc(&data_, bytes, cudaHostAllocMapped), "allocate pinned memory to measure the link with");
  }
  ~OnHost() { cudaFreeHost(data_); }
  OnHost(const OnHost&) = delete;
  OnHost& operator=(const OnHost&) = delete;
  const uint4* get() const { return static_cast<const uint4*>(data_); }

 private:
  void* data_ = nullptr;
};

// The largest of these footprints that fits into the free memory beside a reserve for others; none if nothing fits. What
// the memory holds does not matter.
class Room {
 public:
  explicit Room(std::span<const double> footprints) {
    constexpr double kReserve = 2;  // GiB
    std::size_t available = 0, all = 0;
    CheckCuda(cudaMemGetInfo(&available, &all), "ask for the free memory");
    for (std::size_t i = footprints.size(); i-- > 0 && gib_ == 0;) {
      if ((footprints[i] + kReserve) * kGib > static_cast<double>(available)) continue;
      if (cudaMalloc(&data_, static_cast<std::size_t>(footprints[i] * kGib)) == cudaSuccess)
        gib_ = footprints[i];
      else
        cudaGetLastError();  // another program took it
    }
  }
  ~Room() { cudaFree(data_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  double gib() const { return gib_; }
  const uint4* get() const { return static_cast<const uint4*>(data_); }

 private:
  void* data_ = nullptr;
  double gib_ = 0;
};

// Of the second of two launches: the first fills the TLBs. The GPU shares the load, so its slowest block counts.
template <class Launch>
double LongestOf(int blocks, const Launch& launch) {
  double longest = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const auto cycles = CyclesOfBlocks(blocks, launch);
    longest = static_cast<double>(*std::max_element(cycles.begin(), cycles.end()));
  }
  return longest;
}

}  // namespace

void MeasureHost(const Device& device, Figures& into) {
  const int blocks = device.sm_count * kBlocksPerSm;
  const OnDevice<unsigned> sink(1);
  constexpr std::size_t kHostBytes = 32 << 20;
  const OnHost host(kHostBytes);
  const double cycles = LongestOf(blocks, [&](long long* c) {
    CulpritHostLoads<<<blocks, kThreads>>>(host.get(), kHostBytes / sizeof(uint4), c, sink.get());
  });
  AddFigure(into, figures::kHost, kHostBytes / cycles / device.sm_count);
}

void MeasureRandomLoads(const Device& device, Figures& into) {
  constexpr double kFootprints[] = {1, 4, 16, 32, 48, 64, 72, 80, 96, 112, 128, 160};  // GiB
  constexpr int kLoads = 64;
  const int blocks = device.sm_count * kBlocksPerSm;
  const OnDevice<unsigned> sink(1);
  const Room room(kFootprints);
  for (const double gib : kFootprints) {
    if (gib > room.gib()) break;
    const auto count = static_cast<unsigned long long>(gib * kGib / sizeof(uint4));
    const double cycles = LongestOf(blocks, [&](long long* c) {
      CulpritRandomLoads<<<blocks, kThreads>>>(room.get(), count, kLoads, c, sink.get());
    });
    AddFigure(into, figures::kRandom, 1.0 * kBlocksPerSm * kThreads * kLoads / cycles, gib);
  }
}

}  // namespace culprit
