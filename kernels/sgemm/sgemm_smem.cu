// SPDX-License-Identifier: Apache-2.0
// Stage A and B through shared memory, one 32x32 tile of each at a time.
// Idea     every value loaded from global memory is used 32 times instead of once.
// Expect   smsp__inst_executed_op_global_ld falls 32-fold; L2 bytes may not, L1 already caught some of the reuse.
// Not yet  one result per thread, so each FFMA costs 1.25 shared loads: nvcc 13.0 fetches A four k at a time, B one
//          (sgemm_tile_1d).
#define CULPRIT_SMEM_UNROLL _Pragma("unroll")
#include "kernels/sgemm/smem_gemm.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void sgemm_smem(culprit::GemmProblem p) { culprit::SmemGemm<culprit::CopyX::kAlongRows>(p); }

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_smem", ::sgemm_smem, SmemConfig(p.shape), p, stream);
}
}  // namespace

Stage SgemmSmemStage() {
  return {.id = "sgemm_smem",
          .family = "ladder",
          .parent = "sgemm_naive",
          .idea = "reuse each loaded value 32 times from shared memory",
          .factors = LadderFactors{.block_mapping = "x along m",
                                   .shared_memory = "A and B tiles",
                                   .copy_mapping = "x along rows",
                                   .block_tile = "32x32x32",
                                   .a_tile_layout = "row-major",
                                   .unroll = "pragma",
                                   .shared_buffers = "1, two barriers a tile",
                                   .bounds_checks = "none"}
                         .Named(),
          .constraint = {32, 32, 32},
          .source_file = "kernels/sgemm/sgemm_smem.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_smem),
          .config = SmemConfig,
          .shared_accesses = SquareTileAccesses(SquareTile::Store),
          .launch = Launch};
}
}  // namespace culprit
