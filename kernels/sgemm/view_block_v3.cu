// SPDX-License-Identifier: Apache-2.0
// V3: V2 with a second buffer.
// Idea     one pair of tiles is multiplied while the next is fetched into the other, with one barrier a tile.
// Expect   one barrier a tile instead of two, but no fewer barrier stalls (H100 at 4096: 4 % more): the text fetches
//          after the multiplication, so warps wait for memory just before the barrier that is left. long_scoreboard
//          falls by 14 %, the time by 1 %. Shared stores fall by a quarter and their wavefronts with them: in this loop
//          nvcc 13.0 joins two of a thread's four floats in one 64-bit store, for A and for B, on sm_90. Shared memory
//          doubles to 16 KB.
// Not yet  bank conflicts, and sizes that are no multiple of the tile (view_block_v4).
#include "kernels/sgemm/view_block.cuh"
#include "kernels/sgemm/view_factors.h"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void view_block_v3(culprit::GemmProblem p) {
  using namespace culprit;
  __shared__ float a_shared[2][kTileM * kTileK], b_shared[2][kTileK * kTileN];
  const Operands operands(p);
  const auto buffer = [&](int i) { return TilePair(a_shared[i], b_shared[i]); };
  Sums sum = {};
  if (p.shape.k > 0) {
    int read = 0;
    MoveTiles(operands, 0, buffer(read));
    __syncthreads();
    for (int k0 = kTileK; k0 < p.shape.k; k0 += kTileK) {
      MultiplyTiles(buffer(read), sum);
      MoveTiles(operands, k0, buffer(1 - read));
      __syncthreads();  // what was written is read next; what was read is overwritten next
      read = 1 - read;
    }
    MultiplyTiles(buffer(read), sum);
  }
  StoreSums(p, sum);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("view_block_v3", ::view_block_v3, ViewBlockConfig(p.shape), p, stream);
}
}  // namespace

Stage ViewBlockV3Stage() {
  return {.id = "view_block_v3",
          .family = "view",
          .parent = "view_block_v2",
          .idea = "a second pair of tiles: fetch the next while this one is multiplied",
          .factors = ViewFactors({.block_tile = "128x128", .k_tile = "8", .thread_tile = "8x8", .buffers = "2"}),
          .constraint = kViewBlockShapes,
          .source_file = "kernels/sgemm/view_block_v3.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::view_block_v3),
          .config = ViewBlockConfig,
          .launch = Launch};
}
}  // namespace culprit
