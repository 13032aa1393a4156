// SPDX-License-Identifier: Apache-2.0
// Sums of tiles that bulk copies bring to shared memory, four of them on their way: each tile by one copy of 8 KB, or
// by 128 copies of 64 bytes. One thread of a block asks for them, and one unit of an SM carries them out.
// Limits on an H200 with four blocks an SM, which both reserve shared memory for: device memory needs some 400 cycles
// for a tile of each SM, and 128 copies take that unit longer.
#include "kernels/tma.cuh"
#include "tests/planted/kernels/tile_sums.cuh"

namespace {
using namespace culprit;
using namespace culprit::tile_sums;
constexpr int kBuffers = 4;
// Four blocks of this fill an SM's shared memory.
constexpr int kReservedBytes = 54 * 1024;

template <int kPieceBytes>
__device__ __forceinline__ void SumTiles(const float4* in, float4* out) {
  extern __shared__ float4 tiles[];  // kBuffers
  __shared__ alignas(8) std::uint64_t arrivals[kBuffers];
  const float4* const mine = in + blockIdx.x * kBlockQuads;
  const auto copy = [&](int tile) {
    const SharedAddress arrival = SharedAddressOf(&arrivals[tile % kBuffers]);
    const SharedAddress to = SharedAddressOf(tiles + tile % kBuffers * kQuads);
    BarrierExpect(arrival, kTileBytes);
#pragma unroll 4
    for (int at = 0; at < kTileBytes; at += kPieceBytes)
      CopyBytes(to + at, mine + tile * kQuads + at / 16, kPieceBytes, arrival);
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

constexpr int kWholeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_whole(const float4* in, float4* out) {
  SumTiles<kTileBytes>(in, out);
}
constexpr int kPiecesLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) tile_pieces_of_64(const float4* in, float4* out) {
  SumTiles<64>(in, out);
}

namespace culprit {
namespace {
LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), kReservedBytes}; }
}  // namespace

PlantedPair TilePiecesPair() {
  const AlikeKernels both("adds up tiles that bulk copies bring to shared memory", "bytes of a copy",
                          "kernels/planted/tile_pieces.cu");
  return {.id = "tile_pieces",
          .base = ElementsKernel<Job, ::tile_whole, Config>(both, "8192", "tile_whole", kWholeLine),
          .candidate = ElementsKernel<Job, ::tile_pieces_of_64, Config>(both, "64", "tile_pieces_of_64", kPiecesLine),
          .sizes = {528, 1056},
          .flop = Flop,
          .min_bytes = MinBytes,
          .device = kHopper};
}

}  // namespace culprit
