// SPDX-License-Identifier: Apache-2.0
// V1.7.2: V1.7 with unroll pragmas.
// Idea     did V1.7 lose because of unrolling instead of the moves?
// Expect   with the k loop unrolled, smsp__inst_executed_op_shared_ld falls from 80 to 32 a thread and tile, all of
//          128 bits. On sm_90 (nvcc 13.0) that takes 168 registers, so one block fits on an SM instead of two: 6 % more
//          time on an H100 at 4096.
// Not yet  the moves are those of V1.7.
#define CULPRIT_V_STUDY_UNROLL _Pragma("unroll")
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1_7_2(culprit::GemmProblem p) {
  using namespace culprit;
  VStudy<Move::kSingleFloats, Nest::kKMN>(p, InRegisters{});
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v1_7_2", ::v1_7_2, VStudyConfig(p.shape), p, stream);
}
}  // namespace

Stage V172Stage() {
  return {.id = "v1_7_2",
          .family = "v_study",
          .parent = "v1_7",
          .idea = "unroll every loop of v1_7",
          .factors = VStudyFactors({.move = "single float", .unroll = "true"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_7_2.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_7_2),
          .config = VStudyConfig,
          .shared_accesses = VStudySingleFloatStores(),
          .launch = Launch};
}
}  // namespace culprit
