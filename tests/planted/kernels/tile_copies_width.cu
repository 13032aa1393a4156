// SPDX-License-Identifier: Apache-2.0
// Sums of tiles that are copied to shared memory asynchronously, one ahead: 16 bytes a copy, or 4.
// Limits on an H200: with 16 bytes device memory, some 400 cycles for a tile of each SM. With 4 a tile takes 64 copies
// of a warp, which L1 takes 6 to 7 cycles for each.
#include "tests/planted/kernels/tile_copies.cuh"

namespace {
using namespace culprit;
using namespace culprit::tile_sums;
}  // namespace

constexpr int kWideLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_copied_by_16(const float4* in, float4* out) {
  SumCopiedTiles<16, 1>(in, out);
}
constexpr int kNarrowLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_copied_by_4(const float4* in, float4* out) {
  SumCopiedTiles<4, 1>(in, out);
}

namespace culprit {
namespace {
LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), 2 * kTileBytes}; }
}  // namespace

PlantedPair TileCopiesWidthPair() {
  const AlikeKernels both("adds up tiles that are copied to shared memory asynchronously", "bytes of a copy",
                          "kernels/planted/tile_copies_width.cu");
  return {.id = "tile_copies_width",
          .base = ElementsKernel<Job, ::tile_copied_by_16, Config>(both, "16", "tile_copied_by_16", kWideLine),
          .candidate = ElementsKernel<Job, ::tile_copied_by_4, Config>(both, "4", "tile_copied_by_4", kNarrowLine),
          .sizes = {528, 1056},
          .flop = Flop,
          .min_bytes = MinBytes};
}

}  // namespace culprit
