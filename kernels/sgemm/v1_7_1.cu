// SPDX-License-Identifier: Apache-2.0
// V1.7.1: V1.7 with volatile tiles.
// Idea     a counterfactual: forbid the compiler to reuse or widen what it reads from shared memory.
// Expect   smsp__inst_executed_op_shared_ld is 2 per FFMA, 1024 a thread and tile, all of 32 bits. Those of A
//          take 2 wavefronts and those of B 4, where 1 would do: 12.9 G at 4096 instead of 1.07 G. The time is theirs
//          (mio_throttle, short_scoreboard).
// Not yet  nothing is meant to follow: it shows what the compiler's reuse is worth.
#define CULPRIT_V_STUDY_UNROLL  // the compiler decides
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1_7_1(culprit::GemmProblem p) {
  using namespace culprit;
  VStudy<Move::kSingleFloats, Nest::kKMN, SharedTiles<volatile float>>(p, InRegisters{});
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v1_7_1", ::v1_7_1, VStudyConfig(p.shape), p, stream);
}
}  // namespace

Stage V171Stage() {
  return {.id = "v1_7_1",
          .family = "v_study",
          .parent = "v1_7",
          .idea = "read shared memory anew for every product: volatile tiles",
          .factors = VStudyFactors({.move = "single float", .volatile_smem = "true"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_7_1.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_7_1),
          .config = VStudyConfig,
          .shared_accesses = VStudyVolatileAccesses(),
          .launch = Launch};
}
}  // namespace culprit
