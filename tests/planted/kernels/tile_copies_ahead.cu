// SPDX-License-Identifier: Apache-2.0
// Sums of tiles that are copied to shared memory asynchronously: two before the one that is added, or each when it is
// wanted. Limits on an H200 with three blocks an SM, which both reserve shared memory for: a tile takes 700 cycles and
// more to arrive, and some 200 to be added. Three tiles of 8 KB in each block are 72 KB on their way, more than latency
// times an SM's part of the bandwidth; with one, nothing is on its way while it is added.
#include "tests/planted/kernels/tile_copies.cuh"

namespace {
using namespace culprit;
using namespace culprit::tile_sums;
// Three blocks of this fill an SM's shared memory.
constexpr int kReservedBytes = 72 * 1024;
}  // namespace

constexpr int kAheadLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_copied_two_ahead(const float4* in, float4* out) {
  SumCopiedTiles<16, 2>(in, out);
}
constexpr int kWantedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_copied_when_wanted(const float4* in, float4* out) {
  SumCopiedTiles<16, 0>(in, out);
}

namespace culprit {
namespace {
LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), kReservedBytes}; }
}  // namespace

PlantedPair TileCopiesAheadPair() {
  const AlikeKernels both("adds up tiles that are copied to shared memory asynchronously", "a tile is copied",
                          "kernels/planted/tile_copies_ahead.cu");
  return {.id = "tile_copies_ahead",
          .base = ElementsKernel<Job, ::tile_copied_two_ahead, Config>(both, "two tiles ahead", "tile_copied_two_ahead",
                                                                       kAheadLine),
          .candidate = ElementsKernel<Job, ::tile_copied_when_wanted, Config>(both, "when it is wanted",
                                                                              "tile_copied_when_wanted", kWantedLine),
          .sizes = {396, 792},
          .flop = Flop,
          .min_bytes = MinBytes};
}

}  // namespace culprit
