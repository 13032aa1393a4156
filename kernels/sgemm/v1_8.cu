// SPDX-License-Identifier: Apache-2.0
// V1.8: V2 without float4 and without unroll pragmas (the step between, V1.9, drops only float4).
// Idea     each thread still moves 4 neighbouring floats, one by one.
// Expect   smsp__inst_executed_op_global_ld rises fourfold: the compiler may not assume that these floats are
//          aligned to 16 bytes. Of the tiles it knows the alignment, so shared stores may stay 128 bits wide.
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
          .parent = "v2",
          .idea = "undo two ideas of v2: float4 moves and the unroll pragmas",
          .factors = VStudyFactors("4 consecutive floats", "false", "k->m->n", "float r_c[8][8]"),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_8.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_8),
          .config = VStudyConfig,
          .launch = Launch};
}
}  // namespace culprit
