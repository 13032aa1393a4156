// SPDX-License-Identifier: Apache-2.0
// hgemm_wmma with 8 more halves in every row of both tiles.
// Idea     successive rows begin 20 banks (A) or 4 banks (B) apart, so 8 neighbouring rows cover all 32 banks.
// Expect   loads without conflict. Stores of A get one: 8 lanes write two rows of 64 bytes, and the second begins 4
//          banks before the first one's 32nd: 2 wavefronts instead of 1. Rows of B are longer than what 8 lanes write.
// Not yet  both without conflict (hgemm_mma_swizzle); the padding also costs 2,560 bytes of shared memory.
#include "kernels/hgemm/stage_parts.h"
#include "kernels/hgemm/wmma_block.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(culprit::kHgemmThreads) hgemm_wmma_padded(culprit::HgemmProblem p) {
  culprit::WmmaBlock<culprit::PaddedTiles>(p);
}

namespace culprit {
namespace {
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("hgemm_wmma_padded", ::hgemm_wmma_padded, HgemmConfig(p.shape), p, stream, kWmmaAlignment);
}
}  // namespace

Stage HgemmWmmaPaddedStage() {
  return {.id = "hgemm_wmma_padded",
          .family = "hgemm",
          .parent = "hgemm_wmma",
          .idea = "pad the rows of both tiles by 8 halves, so that fragment loads have no bank conflicts",
          .factors = HgemmFactors({.api = "wmma 16x16x16", .padding = "8 halves a row"}),
          .constraint = kHgemmShapes,
          .source_file = "kernels/hgemm/hgemm_wmma_padded.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::hgemm_wmma_padded),
          .config = HgemmConfig,
          .shared_accesses = HgemmSharedAccesses<PaddedTiles>(),
          .launch = Launch};
}
}  // namespace culprit
