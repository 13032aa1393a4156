// SPDX-License-Identifier: Apache-2.0
// Naive with x and y exchanged: the classic mistake, kept as an experiment.
// Idea     threadIdx.x walks down a column, so the 32 lanes of a warp touch 32 rows of A and of C; blockIdx.x does too,
//          for the grid is exchanged with the block.
// Expect   l1tex__t_sectors_pipe_lsu_mem_global_op_ld rises: 32 sectors instead of 1 for each load of A; the number of
//          instructions does not change.
// Not yet  nothing is reused from shared memory.
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/ladder_factors.h"

namespace {
constexpr int kBlock = 32;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_naive_swapped(culprit::GemmProblem p) {
  const int row = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  const int column = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const auto [m, n, k] = p.shape;
  if (row >= m || column >= n) return;
  const float* a = p.a + static_cast<std::int64_t>(row) * k;
  const float* b = p.b + column;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[i] * b[static_cast<std::int64_t>(i) * n];
  culprit::StoreElement(&p.c[static_cast<std::int64_t>(row) * n + column], p.alpha, sum, p.beta);
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) {
  return {dim3(Tiles(s.m, kBlock), Tiles(s.n, kBlock)), dim3(kBlock, kBlock), 0};
}
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_naive_swapped", ::sgemm_naive_swapped, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmNaiveSwappedStage() {
  return {.id = "sgemm_naive_swapped",
          .family = "ladder",
          .parent = "sgemm_naive",
          .idea = "exchange x and y: neighbouring threads walk down a column",
          .factors = LadderFactors{.thread_mapping = "x along m", .block_mapping = "x along m"}.Named(),
          .source_file = "kernels/sgemm/sgemm_naive_swapped.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_naive_swapped),
          .config = Config,
          .launch = Launch};
}
}  // namespace culprit
