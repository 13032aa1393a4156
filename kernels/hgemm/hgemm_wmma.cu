// SPDX-License-Identifier: Apache-2.0
// Half precision on tensor cores through WMMA, with row-major tiles in shared memory.
// Idea     a block computes 128x256 of C in 2x4 warps of 64x64, 16x16x16 at a time, fp16 in and fp32 out.
// Expect   stores without conflict: 8 lanes write 128 bytes in a row. In loads the 8 rows of an 8x8 matrix begin 64
//          bytes (A) or 512 bytes (B) apart, so they share 2 or 1 of the 8 groups of 4 banks: 4 and 8 wavefronts
//          instead of 1 (smsp__inst_executed_op_ldsm, l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld).
// Not yet  a remedy for these conflicts (hgemm_wmma_padded; hgemm_mma_swizzle by way of hgemm_mma).
#include "kernels/hgemm/stage_parts.h"
#include "kernels/hgemm/wmma_block.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(culprit::kHgemmThreads) hgemm_wmma(culprit::HgemmProblem p) {
  culprit::WmmaBlock<culprit::RowMajorTiles>(p);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("hgemm_wmma", ::hgemm_wmma, HgemmConfig(p.shape), p, stream, kWmmaAlignment);
}
}  // namespace

Stage HgemmWmmaStage() {
  return {.id = "hgemm_wmma",
          .family = "hgemm",
          .parent = "",
          .idea = "fp16 tensor cores through WMMA on plain tiles in shared memory",
          .factors = HgemmFactors({.api = "wmma 16x16x16"}),
          .constraint = kHgemmShapes,
          .source_file = "kernels/hgemm/hgemm_wmma.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_wmma),
          .config = HgemmConfig,
          .shared_accesses = HgemmSharedAccesses<RowMajorTiles>(),
          .launch = Launch};
}
}  // namespace culprit
