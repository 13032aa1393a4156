// SPDX-License-Identifier: Apache-2.0
// Prefetches the next tile and the next fragments while the current ones are multiplied.
// Idea     16 k per tile in two shared buffers with one barrier per tile. A thread holds the next tile's float4 before
//          the multiplication until it stores them into the other buffer, and two sets of fragments. Four factors
//          change at once: tile depth, lane map, prefetch and fragments.
// Expect   half as many barriers, since tiles are twice as deep, and fewer stalls at them and on global memory
//          (smsp__warps_issue_stalled_barrier, _long_scoreboard). Shared loads stay 134,217,728 at 4096, in 402,653,184
//          wavefronts (quadrants: A 2, B 4). Against it: 4 lanes now hold neighbouring k of a row, so each store of A
//          takes 4 wavefronts instead of 2, and 155 registers leave one block a multiprocessor instead of two.
//          Measured on an H100 at 4096: store wavefronts rise from 51.5 to 84.5 million, occupancy falls from 24 % to
//          12.5 %, both stalls about halve with the warps, and it takes 4 % longer than sgemm_double_buffer.
// Not yet  A's tile is not padded and its lanes do not lie in z-order (sgemm_zorder). A bound of 128 registers would
//          let two blocks in, but spills inside the loop (nvcc 13.0, sm_90).
// Its original loads global memory past the end of A and B in the last round, and fragments from a buffer that may
// never have been written. Here both happen only when there is a next tile.
#include "kernels/sgemm/float4_gemm.cuh"
#include "kernels/sgemm/ladder_factors.h"

namespace {
using Tile = culprit::TransposedTile<culprit::QuadrantLanes, 16, 0>;
constexpr int kRounds = Tile::kRounds;
static_assert(Tile::kTileK % 2 == 0, "a tile ends with the second set of fragments");

struct Fetched {
  float4 a[kRounds], b[kRounds];
};

// `a` and `b` point to this thread's first float4 of the tile.
__device__ __forceinline__ Fetched Fetch(const float* a, const float* b, culprit::GemmShape s) {
  Fetched out;
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    out.a[i] = culprit::AsFloat4(a[static_cast<std::int64_t>(Tile::ARow(0, i)) * s.k]);
    out.b[i] = culprit::AsFloat4(b[static_cast<std::int64_t>(Tile::BRow(0, i)) * s.n]);
  }
  return out;
}

__device__ __forceinline__ void Store(const Fetched& fetched, float* a_tile, float* b_tile, int thread) {
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    culprit::StoreTransposed<Tile>(a_tile, fetched.a[i], thread, i);
    culprit::AsFloat4(b_tile[Tile::StoreB(thread, i)]) = fetched.b[i];
  }
}
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_pingpong(culprit::GemmProblem p) {
  using namespace culprit;
  __shared__ __align__(16) float a_tiles[2][Tile::kAFloats];  // transposed: (k, m)
  __shared__ __align__(16) float b_tiles[2][Tile::kBFloats];  // (k, n)
  const GemmShape s = p.shape;
  const int thread = threadIdx.y * Tile::kThreadsX + threadIdx.x;
  const float* a = CopyFromA<Tile>(p, thread);
  const float* b = CopyFromB<Tile>(p, thread);
  const int a_from = Tile::LoadA(thread, 0, 0), b_from = Tile::LoadB(thread, 0, 0);
  float sum[Tile::kThreadM][Tile::kThreadN] = {};
  float a_fragment[2][Tile::kThreadM], b_fragment[2][Tile::kThreadN];
  int reading = 0;
  if (s.k > 0) {
    Store(Fetch(a, b, s), a_tiles[0], b_tiles[0], thread);
    __syncthreads();
    LoadFragments<Tile>(&a_tiles[0][a_from], &b_tiles[0][b_from], 0, a_fragment[0], b_fragment[0]);
  }
  for (int k0 = 0; k0 < s.k; k0 += Tile::kTileK) {
    const bool has_next = k0 + Tile::kTileK < s.k;
    Fetched next;
    if (has_next) {
      a += Tile::kTileK;
      b += static_cast<std::int64_t>(Tile::kTileK) * s.n;
      next = Fetch(a, b, s);
    }
#pragma unroll
    for (int i = 0; i < Tile::kTileK - 1; ++i) {
      const int ahead = (i + 1) % 2;
      LoadFragments<Tile>(&a_tiles[reading][a_from], &b_tiles[reading][b_from], i + 1, a_fragment[ahead],
                          b_fragment[ahead]);
      AddOuterProduct(a_fragment[i % 2], b_fragment[i % 2], sum);
    }
    if (has_next) {
      reading ^= 1;
      Store(next, a_tiles[reading], b_tiles[reading], thread);
      __syncthreads();  // the only barrier: all threads have left the other buffer before anyone stores into it
      LoadFragments<Tile>(&a_tiles[reading][a_from], &b_tiles[reading][b_from], 0, a_fragment[0], b_fragment[0]);
    }
    AddOuterProduct(a_fragment[1], b_fragment[1], sum);
  }
  StoreResults<Tile>(p, thread, sum);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_pingpong", ::sgemm_pingpong, TransposedTileConfig<Tile>(p.shape), p, stream, sizeof(float4));
}
}  // namespace

Stage SgemmPingpongStage() {
  return {.id = "sgemm_pingpong",
          .family = "ladder",
          .parent = "sgemm_double_buffer",
          .idea = "fetch the next tile and the next fragments into registers while these are multiplied",
          .factors = LadderFactors{.shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = BlockTileText<Tile>(),
                                   .thread_tile = ThreadTileText<Tile>(),
                                   .load_width = "128 bit",
                                   .a_tile_layout = "transposed",
                                   .lane_map = "four quadrants",
                                   .loop_nest = "k->m->n",
                                   .fragments = "registers, double-buffered",
                                   .unroll = "pragma",
                                   .shared_buffers = "2, one barrier a tile",
                                   .global_prefetch = "next tile in registers",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = kTransposedTileShapes<Tile>,
          .source_file = "kernels/sgemm/sgemm_pingpong.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_pingpong),
          .config = TransposedTileConfig<Tile>,
          .shared_accesses = TransposedTileAccesses<Tile>(),
          .launch = Launch};
}
}  // namespace culprit
