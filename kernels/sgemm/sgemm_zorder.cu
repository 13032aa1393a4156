// SPDX-License-Identifier: Apache-2.0
// Z-order lanes and a padded A tile: sgemm_float4 without bank conflicts.
// Idea     a warp covers 64x32 of C, its lanes in z-order, so that in each half warp lanes i and i^1 (A) or i and i^2
//          (B) read the same 16 bytes: the hardware then serves a half warp's LDS.128 in one wavefront (lane_map.h).
//          Rows of A's tile are padded by 4 floats, so that a warp's stores of A touch 32 banks.
// Expect   at 4096: 134,217,728 shared loads in 268,435,456 wavefronts (2 each) and 20,971,520 shared stores in
//          33,554,432: smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared equals its _ideal.
// Not yet  loads from global memory wait for the multiplication and the other way round: no double buffer.
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/lane_map.h"

namespace {
constexpr int kThreadsX = 16, kThreadsY = 16;
constexpr int kThreadM = 8, kThreadN = 8;  // results per thread
constexpr int kTileM = kThreadsY * kThreadM, kTileN = kThreadsX * kThreadN, kTileK = 8;
static_assert(kTileM * kTileK == 4 * kThreadsX * kThreadsY, "each thread moves one float4 of A");
static_assert(kTileK * kTileN == 4 * kThreadsX * kThreadsY, "each thread moves one float4 of B");
constexpr int kPadding = 4;  // floats; keeps rows aligned to 16 bytes
__device__ __forceinline__ float4& AsFloat4(float& first) { return reinterpret_cast<float4&>(first); }
__device__ __forceinline__ const float4& AsFloat4(const float& first) { return reinterpret_cast<const float4&>(first); }
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_zorder(culprit::GemmProblem p) {
  __shared__ __align__(16) float a_tile[kTileK][kTileM + kPadding];  // transposed: (k, m)
  __shared__ __align__(16) float b_tile[kTileK][kTileN];             // (k, n)
  const int n = p.shape.n, k = p.shape.k;
  const int thread = threadIdx.y * kThreadsX + threadIdx.x;
  const int row = culprit::ZOrderRow(thread) * kThreadM, column = culprit::ZOrderColumn(thread) * kThreadN;
  const int a_row = thread * 4 / kTileK, a_column = thread * 4 % kTileK;
  const int b_row = thread * 4 / kTileN, b_column = thread * 4 % kTileN;
  const float* a = p.a + (static_cast<std::int64_t>(blockIdx.y) * kTileM + a_row) * k + a_column;
  const float* b = p.b + static_cast<std::int64_t>(b_row) * n + blockIdx.x * kTileN + b_column;
  float sum[kThreadM][kThreadN] = {};
  float a_fragment[kThreadM], b_fragment[kThreadN];
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    const float4 four = AsFloat4(a[k0]);
    a_tile[a_column][a_row] = four.x;
    a_tile[a_column + 1][a_row] = four.y;
    a_tile[a_column + 2][a_row] = four.z;
    a_tile[a_column + 3][a_row] = four.w;
    AsFloat4(b_tile[b_row][b_column]) = AsFloat4(b[static_cast<std::int64_t>(k0) * n]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
#pragma unroll
      for (int r = 0; r < kThreadM; r += 4) AsFloat4(a_fragment[r]) = AsFloat4(a_tile[i][row + r]);
#pragma unroll
      for (int c = 0; c < kThreadN; c += 4) AsFloat4(b_fragment[c]) = AsFloat4(b_tile[i][column + c]);
#pragma unroll
      for (int r = 0; r < kThreadM; ++r) {
#pragma unroll
        for (int c = 0; c < kThreadN; ++c) sum[r][c] += a_fragment[r] * b_fragment[c];
      }
    }
    __syncthreads();  // the next iteration overwrites both tiles
  }
  float* c_block = p.c + static_cast<std::int64_t>(blockIdx.y) * kTileM * n + blockIdx.x * kTileN;
#pragma unroll
  for (int r = 0; r < kThreadM; ++r) {
#pragma unroll
    for (int c = 0; c < kThreadN; c += 4) {
      culprit::StoreFour(&c_block[static_cast<std::int64_t>(row + r) * n + column + c], p.alpha, &sum[r][c], p.beta);
    }
  }
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) {
  return {dim3(Tiles(s.n, kTileN), Tiles(s.m, kTileM)), dim3(kThreadsX, kThreadsY), 0};
}
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_zorder", ::sgemm_zorder, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmZorderStage() {
  return {.id = "sgemm_zorder",
          .family = "ladder",
          .parent = "sgemm_float4",
          .idea = "lanes in z-order, so that fragment loads merge without bank conflicts; padded A rows",
          .factors = {{"thread mapping", "x along n"},
                      {"shared memory", "A and B tiles"},
                      {"block tile", "128x128x8"},
                      {"thread tile", "8x8"},
                      {"load width", "128 bit"},
                      {"A tile layout", "transposed, rows padded by 4 floats"},
                      {"lane map", "z-order"},
                      {"bounds checks", "none"}},
          .constraint = {kTileM, kTileN, kTileK},
          .source_file = "kernels/sgemm/sgemm_zorder.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_zorder),
          .config = Config,
          .launch = Launch};
}
}  // namespace culprit
