// SPDX-License-Identifier: Apache-2.0
// Sums of tiles that bulk copies bring to shared memory, counted by an mbarrier each. Four are on their way, or one.
// Limits on an H200 with two blocks an SM, which both reserve shared memory for: a tile takes 800 cycles and more to
// arrive, and 100 to 200 to be added. Four of 8 KB in each block are 64 KB on their way to an SM, more than latency
// times its part of the bandwidth; of one, nothing is on its way while it is added.
#include "kernels/tma.cuh"
#include "tests/planted/kernels/tile_sums.cuh"

namespace {
using namespace culprit;
using namespace culprit::tile_sums;
// Two blocks of this fill an SM's shared memory.
constexpr int kReservedBytes = 108 * 1024;

template <int kBuffers>
__device__ __forceinline__ void SumTiles(const float4* in, float4* out) {
  extern __shared__ float4 tiles[];  // kBuffers
  __shared__ alignas(8) std::uint64_t arrivals[kBuffers];
  const float4* const mine = in + blockIdx.x * kBlockQuads;
  const auto copy = [&](int tile) {
    const SharedAddress arrival = SharedAddressOf(&arrivals[tile % kBuffers]);
    BarrierExpect(arrival, kTileBytes);
    CopyBytes(SharedAddressOf(tiles + tile % kBuffers * kQuads), mine + tile * kQuads, kTileBytes, arrival);
  };
  if (threadIdx.x == 0) {
    for (auto& arrival : arrivals) BarrierInit(SharedAddressOf(&arrival), 1);
    PublishBarriers();
    for (int tile = 0; tile < kBuffers; ++tile) copy(tile);
  }
  __syncthreads();
  float4 sums[kEach] = {};
#pragma unroll 1
  for (int tile = 0; tile < kTiles; ++tile) {
    BarrierWait(SharedAddressOf(&arrivals[tile % kBuffers]), tile / kBuffers & 1);
    Add(tiles + tile % kBuffers * kQuads, sums);
    __syncthreads();  // nobody reads the buffer any more
    if (threadIdx.x == 0 && tile + kBuffers < kTiles) copy(tile + kBuffers);
  }
  Store(sums, out);
}
}  // namespace

constexpr int kRing4Line = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_ring_4(const float4* in, float4* out) {
  SumTiles<4>(in, out);
}
constexpr int kRing1Line = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_ring_1(const float4* in, float4* out) {
  SumTiles<1>(in, out);
}

namespace culprit {
namespace {
LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), kReservedBytes}; }
}  // namespace

PlantedPair TileRingPair() {
  const AlikeKernels both("adds up tiles that bulk copies bring to shared memory", "tiles on their way",
                          "kernels/planted/tile_ring.cu");
  return {.id = "tile_ring",
          .base = ElementsKernel<Job, ::tile_ring_4, Config>(both, "4", "tile_ring_4", kRing4Line),
          .candidate = ElementsKernel<Job, ::tile_ring_1, Config>(both, "1", "tile_ring_1", kRing1Line),
          .sizes = {264, 528},
          .flop = Flop,
          .min_bytes = MinBytes,
          .device = kHopper};
}

}  // namespace culprit
