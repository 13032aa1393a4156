// SPDX-License-Identifier: Apache-2.0
// V1.8: V1.9 without unroll pragmas.
// Idea     the compiler chooses what to unroll.
// Expect   where it keeps the k loop, as nvcc 13.0 does on sm_90, values of A that are neighbours in k are no longer
//          loaded together: smsp__inst_executed_op_shared_ld rises from 32 to 80 a thread and tile.
// Not yet  a thread's 4 floats are still neighbours (v1_7).
#define CULPRIT_V_STUDY_UNROLL  // the compiler decides
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1_8(culprit::GemmProblem p) {
  using namespace culprit;
  VStudy<Move::kFourFloats, Nest::kKMN>(p, InRegisters{});
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v1_8", ::v1_8, VStudyConfig(p.shape), p, stream);
}
}  // namespace

Stage V18Stage() {
  return {.id = "v1_8",
          .family = "v_study",
          .parent = "v1_9",
          .idea = "leave unrolling to the compiler",
          .factors = VStudyFactors({.move = "4 consecutive floats"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_8.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_8),
          .config = VStudyConfig,
          .launch = Launch};
}
}  // namespace culprit
