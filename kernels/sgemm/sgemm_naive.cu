// SPDX-License-Identifier: Apache-2.0
// Naive: where the ladder starts.
// Idea     one thread computes one element of C; threadIdx.x walks along a row of B and C.
// Expect   4 sectors per global load of B, 1 of A; smsp__inst_executed_op_global_ld is 2 per FFMA.
// Not yet  every value is loaded from global memory again for each use (sgemm_smem).
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/sgemm/ladder_factors.h"

namespace {
constexpr int kBlock = 32;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_naive(culprit::GemmProblem p) {
  const int row = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
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
  return {dim3(Tiles(s.n, kBlock), Tiles(s.m, kBlock)), dim3(kBlock, kBlock), 0};
}
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_naive", ::sgemm_naive, Config(p.shape), p, stream);
}
}  // namespace

Stage SgemmNaiveStage() {
  return {.id = "sgemm_naive",
          .family = "ladder",
          .parent = "",
          .idea = "one thread per result, all operands from global memory",
          .factors = LadderFactors{}.Named(),
          .source_file = "kernels/sgemm/sgemm_naive.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_naive),
          .config = Config,
          .launch = Launch};
}
}  // namespace culprit
