// SPDX-License-Identifier: Apache-2.0
// Two-dimensional thread tiles with register fragments.
// Idea     a thread computes 8x8 results from 8 values of A and 8 of B that it keeps in registers: outer products.
// Expect   shared loads per FFMA fall from more than 1 to 1/4 (smsp__inst_executed_op_shared_ld).
// Not yet  loads are 32 bits wide (sgemm_float4).
// A thread loads one column of A's tile and one row of B's, so the tile's K extent equals both block extents.
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"

namespace {
constexpr int kThreadsX = 16, kThreadsY = 16;
constexpr int kThreadM = 8, kThreadN = 8;  // results per thread
constexpr int kTileM = kThreadsY * kThreadM, kTileN = kThreadsX * kThreadN, kTileK = 16;
static_assert(kTileK == kThreadsX && kTileK == kThreadsY,
              "a tile's K extent is loaded by one row and one column of threads");
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_tile_2d_reg(culprit::GemmProblem p) {
  __shared__ float a_tile[kTileM][kTileK];
  __shared__ float b_tile[kTileK][kTileN];
  const auto [m, n, k] = p.shape;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row0 = blockIdx.y * kTileM, column0 = blockIdx.x * kTileN;
  float sum[kThreadM][kThreadN] = {};
  float a_fragment[kThreadM], b_fragment[kThreadN];
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    for (int i = 0; i < kThreadM; ++i) {
      const int row = y * kThreadM + i;
      const bool inside = row0 + row < m && k0 + x < k;
      a_tile[row][x] = inside ? p.a[static_cast<std::int64_t>(row0 + row) * k + k0 + x] : 0.0f;
    }
    for (int j = 0; j < kThreadN; ++j) {
      const int column = x * kThreadN + j;
      const bool inside = k0 + y < k && column0 + column < n;
      b_tile[y][column] = inside ? p.b[static_cast<std::int64_t>(k0 + y) * n + column0 + column] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < kTileK; ++i) {
      for (int r = 0; r < kThreadM; ++r) a_fragment[r] = a_tile[y * kThreadM + r][i];
      for (int c = 0; c < kThreadN; ++c) b_fragment[c] = b_tile[i][x * kThreadN + c];
      for (int r = 0; r < kThreadM; ++r) {
        for (int c = 0; c < kThreadN; ++c) sum[r][c] += a_fragment[r] * b_fragment[c];
      }
    }
    __syncthreads();  // the next iteration overwrites both tiles
  }
  for (int r = 0; r < kThreadM; ++r) {
    for (int c = 0; c < kThreadN; ++c) {
      const int row = row0 + y * kThreadM + r, column = column0 + x * kThreadN + c;
      if (row >= m || column >= n) continue;
      culprit::StoreElement(&p.c[static_cast<std::int64_t>(row) * n + column], p.alpha, sum[r][c], p.beta);
    }
  }
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) {
  return {dim3(Tiles(s.n, kTileN), Tiles(s.m, kTileM)), dim3(kThreadsX, kThreadsY), 0};
}
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_tile_2d_reg", ::sgemm_tile_2d_reg, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmTile2dRegStage() {
  return {.id = "sgemm_tile_2d_reg",
          .family = "ladder",
          .parent = "sgemm_smem",
          .idea = "8x8 results per thread, fragments of A and B cached in registers",
          .factors = {{"thread mapping", "x along n"},
                      {"shared memory", "A and B tiles"},
                      {"block tile", "128x128x16"},
                      {"thread tile", "8x8"},
                      {"load width", "32 bit"},
                      {"A tile layout", "row-major"},
                      {"lane map", "row-major"},
                      {"bounds checks", "yes"}},
          .source_file = "kernels/sgemm/sgemm_tile_2d_reg.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_tile_2d_reg),
          .config = Config,
          .launch = Launch};
}
}  // namespace culprit
