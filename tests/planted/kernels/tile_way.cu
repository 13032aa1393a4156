// SPDX-License-Identifier: Apache-2.0
// Sums of tiles that are copied to shared memory asynchronously, 16 bytes at a time, one tile ahead: past L1, or
// through it. Each tile is read seven times. Limits on an H200: device memory, some 400 cycles for a tile of each SM.
// Shared memory, 128 bytes a cycle: the seven times 448; a tile that comes through L1 takes 64 more of the same data
// pipe.
#include "tests/planted/kernels/tile_copies.cuh"

namespace {
using namespace culprit;
using namespace culprit::tile_sums;
constexpr int kTimes = 7;

// Of a thread's float4, those of its neighbours before it are added, too.
struct JobOfNeighbours : Job {
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    const std::size_t block = i / kFloats, quad = i % kFloats / 4, first = quad / kThreads * kThreads;
    double sum = 0, terms = 0;
    for (int time = 0; time < kTimes; ++time) {
      const float* at = in.data() + 4 * (block * kBlockQuads + first + (quad + time) % kThreads) + i % 4;
      for (int tile = 0; tile < kTiles; ++tile, at += kFloats) {
        sum += *at;
        terms += std::abs(*at);
      }
    }
    return {sum, kTimes * kTiles * kFloatUnit * terms};
  }
};
}  // namespace

constexpr int kPastLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_past_l1(const float4* in, float4* out) {
  SumCopiedTiles<16, 1, Way::kPastL1, kTimes>(in, out);
}
constexpr int kThroughLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_through_l1(const float4* in, float4* out) {
  SumCopiedTiles<16, 1, Way::kThroughL1, kTimes>(in, out);
}

namespace culprit {
namespace {
LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), 2 * kTileBytes}; }
double FlopOf(int blocks) { return kTimes * tile_sums::Flop(blocks); }
}  // namespace

PlantedPair TileWayPair() {
  const AlikeKernels both("adds up tiles, seven times each, that are copied to shared memory asynchronously",
                          "way of a copy", "kernels/planted/tile_way.cu");
  return {.id = "tile_way",
          .base = ElementsKernel<JobOfNeighbours, ::tile_past_l1, Config>(both, "past L1", "tile_past_l1", kPastLine),
          .candidate = ElementsKernel<JobOfNeighbours, ::tile_through_l1, Config>(both, "through L1", "tile_through_l1",
                                                                                  kThroughLine),
          .sizes = {528, 1056},
          .flop = FlopOf,
          .min_bytes = MinBytes};
}

}  // namespace culprit
