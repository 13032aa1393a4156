// SPDX-License-Identifier: Apache-2.0
// V1: tiles of A and B through shared memory.
// Idea     a block fetches each element of its tiles once and uses it 16 times.
// Expect   smsp__inst_executed_op_global_ld falls to 1/16 of view_naive's.
// Not yet  one result per thread, so each FFMA costs 1.25 shared loads: A's come four k at a time (view_block_v2).
#include "kernels/sgemm/view_block_v1.cuh"
#include "kernels/sgemm/view_factors.h"

namespace {
constexpr int kTile = 16;
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void view_block_v1(culprit::GemmProblem p) { culprit::ViewBlockV1<kTile>(p); }

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("view_block_v1", ::view_block_v1, ViewBlockV1Config<kTile>(p.shape), p, stream);
}
}  // namespace

Stage ViewBlockV1Stage() {
  return {.id = "view_block_v1",
          .family = "view",
          .parent = "view_naive",
          .idea = "16x16 tiles of A and B in shared memory, through views",
          .factors = ViewFactors({}),
          .constraint = {kTile, kTile, kTile},
          .source_file = "kernels/sgemm/view_block_v1.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::view_block_v1),
          .config = ViewBlockV1Config<kTile>,
          .shared_accesses = ViewBlockV1Accesses<kTile>(),
          .launch = Launch};
}
}  // namespace culprit
