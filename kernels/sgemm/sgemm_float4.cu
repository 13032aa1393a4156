// SPDX-License-Identifier: Apache-2.0
// 128-bit accesses everywhere; A's tile is transposed so that a thread's 8 values of A are neighbours too.
// Idea     one LDS.128 instead of four LDS, one LDG.128 instead of four LDG.
// Expect   shared loads are 4 per thread and k (134,217,728 at 4096), all of them 128 bits wide; shared stores are 5
//          per thread and tile (20,971,520): smsp__inst_executed_op_shared_ld and _st.
// Not yet  A's stores conflict two ways (stride of 128 floats) and the 16 lanes of B's loads touch 16 different
//          addresses (sgemm_zorder).
// Pointers must be aligned to 16 bytes, as cudaMalloc's are.
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"

namespace {
constexpr int kThreadsX = 16, kThreadsY = 16;
constexpr int kThreadM = 8, kThreadN = 8;  // results per thread
constexpr int kTileM = kThreadsY * kThreadM, kTileN = kThreadsX * kThreadN, kTileK = 8;
static_assert(kTileM * kTileK == 4 * kThreadsX * kThreadsY, "each thread moves one float4 of A");
static_assert(kTileK * kTileN == 4 * kThreadsX * kThreadsY, "each thread moves one float4 of B");

__device__ __forceinline__ float4& AsFloat4(float& first) { return reinterpret_cast<float4&>(first); }
__device__ __forceinline__ const float4& AsFloat4(const float& first) { return reinterpret_cast<const float4&>(first); }
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_float4(culprit::GemmProblem p) {
  __shared__ __align__(16) float a_tile[kTileK][kTileM];  // transposed: (k, m)
  __shared__ __align__(16) float b_tile[kTileK][kTileN];  // (k, n)
  const int n = p.shape.n, k = p.shape.k;
  const int thread = threadIdx.y * kThreadsX + threadIdx.x;
  const int row = threadIdx.y * kThreadM, column = threadIdx.x * kThreadN;
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
  EnqueueKernel("sgemm_float4", ::sgemm_float4, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmFloat4Stage() {
  return {.id = "sgemm_float4",
          .family = "ladder",
          .parent = "sgemm_tile_2d_reg",
          .idea = "128-bit loads and stores, A transposed on its way to shared memory",
          .factors = {{"thread mapping", "x along n"},
                      {"shared memory", "A and B tiles"},
                      {"block tile", "128x128x8"},
                      {"thread tile", "8x8"},
                      {"load width", "128 bit"},
                      {"A tile layout", "transposed"},
                      {"lane map", "row-major"},
                      {"bounds checks", "none"}},
          .constraint = {kTileM, kTileN, kTileK},
          .source_file = "kernels/sgemm/sgemm_float4.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_float4),
          .config = Config,
          .launch = Launch};
}
}  // namespace culprit
