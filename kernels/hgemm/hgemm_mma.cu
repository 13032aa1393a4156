// SPDX-License-Identifier: Apache-2.0
// hgemm_wmma through mma.sync and ldmatrix instead of WMMA.
// Idea     the same tiles, copies and multiplications, but the kernel itself chooses the row that each lane passes to
//          ldmatrix. A layout without constant distances between rows needs that.
// Expect   the same as hgemm_wmma: its loads are ldmatrix.x4 as well, so 16 (A) and 32 (B) wavefronts each instead of
//          4 (l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld), and about the same time.
// Not yet  a remedy for these conflicts (hgemm_mma_swizzle).
#include "kernels/hgemm/mma_block.cuh"
#include "kernels/hgemm/stage_parts.h"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(culprit::kHgemmThreads) hgemm_mma(culprit::HgemmProblem p) {
  culprit::MmaBlock<culprit::RowMajorTiles>(p);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("hgemm_mma", ::hgemm_mma, HgemmConfig(p.shape), p, stream, sizeof(uint4));
}
}  // namespace

Stage HgemmMmaStage() {
  return {.id = "hgemm_mma",
          .family = "hgemm",
          .parent = "hgemm_wmma",
          .idea = "mma.sync and ldmatrix instead of WMMA, on the same plain tiles",
          .factors = HgemmFactors({}),
          .constraint = kHgemmShapes,
          .source_file = "kernels/hgemm/hgemm_mma.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_mma),
          .config = HgemmConfig,
          .shared_accesses = HgemmSharedAccesses<RowMajorTiles>(),
          .launch = Launch};
}
}  // namespace culprit
