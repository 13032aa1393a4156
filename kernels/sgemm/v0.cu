// SPDX-License-Identifier: Apache-2.0
// V0: the author's first tiled version. 8x8 results per thread made it slower there (V1); on an H100 they do not.
// Idea     one result per thread from 16x16 tiles in shared memory.
// Expect   1.25 shared loads per FFMA (smsp__inst_executed_op_shared_ld): the source names two, but nvcc 13.0 fetches A
//          four k at a time. No local memory.
// Not yet  no register reuse at all.
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"

namespace {
constexpr int kTile = 16;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v0(culprit::GemmProblem p) {
  __shared__ float a_tile[kTile][kTile];  // (m, k)
  __shared__ float b_tile[kTile][kTile];  // (k, n)
  const int n = p.shape.n, k = p.shape.k;
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kTile + y;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kTile + x;
  const float* a = p.a + row * k + x;
  const float* b = p.b + static_cast<std::int64_t>(y) * n + column;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    a_tile[y][x] = a[k0];
    b_tile[y][x] = b[static_cast<std::int64_t>(k0) * n];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();  // the next iteration overwrites both tiles
  }
  culprit::StoreElement(&p.c[row * n + column], p.alpha, sum, p.beta);
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) { return {dim3(Tiles(s.n, kTile), Tiles(s.m, kTile)), dim3(kTile, kTile), 0}; }
void Launch(const GemmProblem& p, cudaStream_t stream) { EnqueueKernel("v0", ::v0, Config(p.shape), p, stream); }
}  // namespace

Stage V0Stage() {
  return {.id = "v0",
          .family = "v_study",
          .parent = "",
          .idea = "16x16 tiles, one result per thread",
          .factors = {{"thread-level gmem<->smem", "single float"},
                      {"unroll", "false"},
                      {"loop nest", "-"},
                      {"bank conflict handling", "none"},
                      {"volatile smem", "false"},
                      {"intermediate results", "-"},
                      {"task split", "tiling, 1x1 per thread, 16x16 block, K=16"}},
          .constraint = {kTile, kTile, kTile},
          .source_file = "kernels/sgemm/v0.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v0),
          .config = Config,
          .launch = Launch};
}
}  // namespace culprit
