// SPDX-License-Identifier: Apache-2.0
// V1 with 32x32 tiles, which the author took from 2048 on.
// Idea     twice the reuse of what is fetched, for blocks of 1024 threads.
// Expect   smsp__inst_executed_op_global_ld halves, shared loads stay; with few blocks the large ones leave SMs idle.
// Not yet  one result per thread (view_block_v2).
#include "kernels/sgemm/view_block_v1.cuh"
#include "kernels/sgemm/view_factors.h"

namespace {
constexpr int kTile = 32;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void view_block_v1_32(culprit::GemmProblem p) { culprit::ViewBlockV1<kTile>(p); }

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("view_block_v1_32", ::view_block_v1_32, ViewBlockV1Config<kTile>(p.shape), p, stream);
}
}  // namespace

Stage ViewBlockV132Stage() {
  return {.id = "view_block_v1_32",
          .family = "view",
          .parent = "view_block_v1",
          .idea = "32x32 tiles instead of 16x16",
          .factors = ViewFactors({.block_tile = "32x32", .k_tile = "32"}),
          .constraint = {kTile, kTile, kTile},
          .source_file = "kernels/sgemm/view_block_v1_32.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::view_block_v1_32),
          .config = ViewBlockV1Config<kTile>,
          .shared_accesses = ViewBlockV1Accesses<kTile>(),
          .launch = Launch};
}
}  // namespace culprit
