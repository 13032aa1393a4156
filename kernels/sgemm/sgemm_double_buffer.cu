// SPDX-License-Identifier: Apache-2.0
// sgemm_float4 with two buffers per tile, so that one barrier per tile is enough.
// Idea     the second barrier of sgemm_float4 keeps fast warps from overwriting a tile that slow ones still read. With
//          two buffers, a warp may store the next tile while others still multiply this one.
// Expect   one BAR per tile instead of two, less smsp__warps_issue_stalled_barrier; all counts of memory instructions
//          and their wavefronts equal sgemm_float4's.
// Not yet  prefetching: within one warp the global loads still stand between two multiplications
//          (sgemm_pingpong).
#include "kernels/sgemm/float4_gemm.cuh"
#include "kernels/sgemm/ladder_factors.h"

namespace {
using Tile = culprit::TransposedTile<culprit::RowMajorLanes, 8, 0>;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_double_buffer(culprit::GemmProblem p) {
  using namespace culprit;
  __shared__ __align__(16) float a_tiles[2][Tile::kAFloats];  // transposed: (k, m)
  __shared__ __align__(16) float b_tiles[2][Tile::kBFloats];  // (k, n)
  const int n = p.shape.n, k = p.shape.k;
  const int thread = threadIdx.y * Tile::kThreadsX + threadIdx.x;
  const float* a = CopyFromA<Tile>(p, thread);
  const float* b = CopyFromB<Tile>(p, thread);
  float sum[Tile::kThreadM][Tile::kThreadN] = {};
  int buffer = 0;
  for (int k0 = 0; k0 < k; k0 += Tile::kTileK, buffer ^= 1) {
    StoreTransposed<Tile>(a_tiles[buffer], AsFloat4(a[k0]), thread, 0);
    AsFloat4(b_tiles[buffer][Tile::StoreB(thread, 0)]) = AsFloat4(b[static_cast<std::int64_t>(k0) * n]);
    __syncthreads();  // the only barrier: before anyone stores into this buffer again, all pass the next tile's
    MultiplyTile<Tile>(a_tiles[buffer], b_tiles[buffer], thread, sum);
  }
  StoreResults<Tile>(p, thread, sum);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_double_buffer", ::sgemm_double_buffer, TransposedTileConfig<Tile>(p.shape), p, stream,
                sizeof(float4));
}
}  // namespace

Stage SgemmDoubleBufferStage() {
  return {.id = "sgemm_double_buffer",
          .family = "ladder",
          .parent = "sgemm_float4",
          .idea = "two buffers per tile, so that one barrier per tile is enough",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .load_width = "128 bit",
                                   .a_tile_layout = "transposed",
                                   .loop_nest = "k->m->n",
                                   .fragments = "registers",
                                   .unroll = "pragma",
                                   .shared_buffers = "2, one barrier a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = kTransposedTileShapes<Tile>,
          .source_file = "kernels/sgemm/sgemm_double_buffer.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_double_buffer),
          .config = TransposedTileConfig<Tile>,
          .shared_accesses = TransposedTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
