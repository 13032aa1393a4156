// SPDX-License-Identifier: Apache-2.0
// The naive product on matrix views, where the view stages start.
// Idea     one thread computes one element of C and names operands by (row, column); the views know where they lie.
// Expect   the instructions of sgemm_naive: a view costs nothing but its address arithmetic.
// Not yet  every value is loaded from global memory again for each use (view_block_v1).
#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/matrix.h"
#include "kernels/sgemm/view_factors.h"

namespace {
constexpr int kBlock = 16;  // as view_block_v1, so that the tiles in shared memory are what differs
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void view_naive(culprit::GemmProblem p) {
  using culprit::Matrix;
  const Matrix<const float> a(p.a, p.shape.m, p.shape.k), b(p.b, p.shape.k, p.shape.n);
  const Matrix<float> c(p.c, p.shape.m, p.shape.n);
  const int row = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (!c.Contains(row, column)) return;
  float sum = 0.0f;
  for (int i = 0; i < a.columns(); ++i) sum += a(row, i) * b(i, column);
  culprit::StoreElement(&c(row, column), p.alpha, sum, p.beta);
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) {
  return {dim3(Tiles(s.n, kBlock), Tiles(s.m, kBlock)), dim3(kBlock, kBlock), 0};
}
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("view_naive", ::view_naive, Config(p.shape), p, stream);
}
}  // namespace

Stage ViewNaiveStage() {
  return {.id = "view_naive",
          .family = "view",
          .parent = "",
          .idea = "one thread per result, operands named through matrix views",
          .factors = ViewFactors({.k_tile = "none", .buffers = "none", .move = "none", .bounds_checks = "yes"}),
          .source_file = "kernels/sgemm/view_naive.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::view_naive),
          .config = Config,
          .launch = Launch};
}
}  // namespace culprit
