// SPDX-License-Identifier: Apache-2.0
// V1.9: V2 without float4.
// Idea     each thread still moves 4 neighbouring floats, one by one.
// Expect   smsp__inst_executed_op_global_ld rises fourfold: the compiler may not assume that these floats are aligned
//          to 16 bytes. It knows the alignment of the tiles, so shared stores may stay 128 bits wide.
// Not yet  a thread's 4 floats are still neighbours (v1_7), and every loop is still unrolled (v1_8).
#define CULPRIT_V_STUDY_UNROLL _Pragma("unroll")
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1_9(culprit::GemmProblem p) {
  using namespace culprit;
  VStudy<Move::kFourFloats, Nest::kKMN>(p, InRegisters{});
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v1_9", ::v1_9, VStudyConfig(p.shape), p, stream);
}
}  // namespace

Stage V19Stage() {
  return {.id = "v1_9",
          .family = "v_study",
          .parent = "v2",
          .idea = "move 4 neighbouring floats one by one instead of as a float4",
          .factors = VStudyFactors({.move = "4 consecutive floats", .unroll = "true"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_9.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_9),
          .config = VStudyConfig,
          .launch = Launch};
}
}  // namespace culprit
