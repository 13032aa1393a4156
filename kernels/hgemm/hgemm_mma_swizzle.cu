// SPDX-License-Identifier: Apache-2.0
// hgemm_mma with the chunks of both tiles permuted.
// Idea     chunks of 16 bytes are permuted within their row, differently in each of the rows that ldmatrix reads
//          together (block_tile.h). WMMA needs a constant distance between rows, hence ldmatrix.
// Expect   no conflicts in loads and stores, without extra memory for padding: 4 wavefronts for each ldmatrix.x4 and
//          each 16-byte store (l1tex__data_bank_conflicts_pipe_lsu_mem_shared near 0).
// Not yet  asynchronous copies, or warpgroup instructions that read shared memory themselves.
#include "kernels/hgemm/mma_block.cuh"
#include "kernels/hgemm/stage_parts.h"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(culprit::kHgemmThreads) hgemm_mma_swizzle(culprit::HgemmProblem p) {
  culprit::MmaBlock<culprit::PermutedTiles>(p);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("hgemm_mma_swizzle", ::hgemm_mma_swizzle, HgemmConfig(p.shape), p, stream, sizeof(uint4));
}
}  // namespace

Stage HgemmMmaSwizzleStage() {
  return {.id = "hgemm_mma_swizzle",
          .family = "hgemm",
          .parent = "hgemm_mma",
          .idea = "permute the chunks of both tiles, so that neither loads nor stores have bank conflicts",
          .factors = HgemmFactors({.permutation = "XOR of 16-byte chunks"}),
          .constraint = kHgemmShapes,
          .source_file = "kernels/hgemm/hgemm_mma_swizzle.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_mma_swizzle),
          .config = HgemmConfig,
          .shared_accesses = HgemmSharedAccesses<PermutedTiles>(),
          .launch = Launch};
}
}  // namespace culprit
