// SPDX-License-Identifier: Apache-2.0
// sgemm_smem without its `#pragma unroll`: does the pragma change anything?
// Idea     nvcc may unroll a loop of 32 known iterations by itself.
// Expect   nothing: nvcc 13.0 makes the same machine code of both, instruction by instruction, on sm_90. So no counter
//          may differ, and a difference of times is noise. A compiler that does not unroll would show in
//          smsp__inst_issued and in shared loads of A that are 32 bits wide instead of 128.
// Not yet  what sgemm_smem lacks.
#define CULPRIT_SMEM_UNROLL  // the compiler decides
#include "kernels/sgemm/smem_gemm.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_smem_no_unroll(culprit::GemmProblem p) {
  culprit::SmemGemm<culprit::CopyX::kAlongRows>(p);
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_smem_no_unroll", ::sgemm_smem_no_unroll, SmemConfig(p.shape), p, stream);
}
}  // namespace

Stage SgemmSmemNoUnrollStage() {
  return {.id = "sgemm_smem_no_unroll",
          .family = "ladder",
          .parent = "sgemm_smem",
          .idea = "leave the unrolling of the inner loop to the compiler",
          .factors = LadderFactors{.block_mapping = "x along m",
                                   .shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = "32x32x32",
                                   .a_tile_layout = "row-major",
                                   .unroll = "no pragma",
                                   .shared_buffers = "1, two barriers a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = {32, 32, 32},
          .source_file = "kernels/sgemm/sgemm_smem_no_unroll.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_smem_no_unroll),
          .config = SmemConfig,
          .shared_accesses = SquareTileAccesses(SquareTile::Store),
          .launch = Launch};
}
}  // namespace culprit
