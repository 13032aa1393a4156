// SPDX-License-Identifier: Apache-2.0
// Sums of boxes of 64 rows of 128 bytes, four on their way to shared memory by the TMA. The lanes of a warp read the
// same 16 bytes of neighbouring rows. The box lies there with its chunks permuted, so that 8 rows meet all banks, or
// row after row, and then they meet in four.
// Limits on an H200: device memory, some 400 cycles for a box of each SM. Shared memory: 64 wavefronts, or 512.
#include "kernels/tensor_map.h"
#include "kernels/tma.cuh"
#include "tests/planted/kernels/tile_sums.cuh"

namespace {
using namespace culprit;
using namespace culprit::tile_sums;
constexpr int kBuffers = 4;
constexpr int kRows = 64, kColumns = kFloats / kRows, kChunks = kColumns / 4;
constexpr int kAlignment = 1024;  // after which the permutation repeats

// A thread has the chunks of one half of a row.
template <bool kPermuted>
__device__ __forceinline__ void SumRows(const CUtensorMap& matrix, float4* out) {
  extern __shared__ float4 room[];
  __shared__ alignas(8) std::uint64_t arrivals[kBuffers];
  float4* const boxes = room + (-SharedAddressOf(room) & (kAlignment - 1)) / 16;
  const auto copy = [&](int tile) {
    const SharedAddress arrival = SharedAddressOf(&arrivals[tile % kBuffers]);
    BarrierExpect(arrival, kTileBytes);
    LoadBox(SharedAddressOf(boxes + tile % kBuffers * kQuads), matrix, (blockIdx.x * kTiles + tile) * kRows, 0,
            arrival);
  };
  if (threadIdx.x == 0) {
    for (auto& arrival : arrivals) BarrierInit(SharedAddressOf(&arrival), 1);
    PublishBarriers();
    for (int tile = 0; tile < kBuffers; ++tile) copy(tile);
  }
  __syncthreads();
  const int row = static_cast<int>(threadIdx.x) % kRows, first = static_cast<int>(threadIdx.x) / kRows * kEach;
  float4 sums[kEach] = {};
#pragma unroll 1
  for (int tile = 0; tile < kTiles; ++tile) {
    BarrierWait(SharedAddressOf(&arrivals[tile % kBuffers]), tile / kBuffers & 1);
    const float4* const box = boxes + tile % kBuffers * kQuads + row * kChunks;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const float4 v = box[kPermuted ? (first + i) ^ row % kChunks : first + i];
      sums[i].x += v.x, sums[i].y += v.y, sums[i].z += v.z, sums[i].w += v.w;
    }
    __syncthreads();  // nobody reads the buffer any more
    if (threadIdx.x == 0 && tile + kBuffers < kTiles) copy(tile + kBuffers);
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    out[static_cast<std::size_t>(blockIdx.x) * kQuads + row * kChunks + first + i] = sums[i];
}
}  // namespace

constexpr int kPermutedLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    tile_rows_permuted(const __grid_constant__ CUtensorMap matrix, float4* out) {
  SumRows<true>(matrix, out);
}
constexpr int kPlainLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    tile_rows_plain(const __grid_constant__ CUtensorMap matrix, float4* out) {
  SumRows<false>(matrix, out);
}

namespace culprit {
namespace {
LaunchConfig Config(int blocks) { return {dim3(blocks), dim3(kThreads), kBuffers * kTileBytes + kAlignment}; }

template <auto* kKernel, TensorSwizzle kSwizzle>
PlantedRun Make(int blocks) {
  return PerElementRun(
      Job::Inputs(blocks), Job::Outputs(blocks), Job::kEvery,
      [blocks](cudaStream_t stream, const float* in, float* out) {
        const CUtensorMap matrix = TensorMapOf({.data = in,
                                                .element = TensorElement::kFloat,
                                                .rows = blocks * kTiles * kRows,
                                                .columns = kColumns,
                                                .box_rows = kRows,
                                                .box_columns = kColumns,
                                                .swizzle = kSwizzle});
        EnqueuePlanted(kKernel, Config(blocks), stream, matrix, reinterpret_cast<float4*>(out));
      },
      [blocks](const std::vector<float>& in, std::size_t i) { return Job::Want(in, i, blocks); });
}
}  // namespace

PlantedPair TileRowsPair() {
  const AlikeKernels both("adds up boxes of a matrix that the TMA brings to shared memory, row by row",
                          "chunks of a row", "kernels/planted/tile_rows.cu");
  return {.id = "tile_rows",
          .base = both.With("permuted", "tile_rows_permuted", kPermutedLine, ::tile_rows_permuted, Config,
                            Make<::tile_rows_permuted, TensorSwizzle::k128Bytes>),
          .candidate = both.With("in order", "tile_rows_plain", kPlainLine, ::tile_rows_plain, Config,
                                 Make<::tile_rows_plain, TensorSwizzle::kNone>),
          .sizes = {528, 1056},
          .flop = tile_sums::Flop,
          .min_bytes = tile_sums::MinBytes,
          .device = kHopper};
}

}  // namespace culprit
