// SPDX-License-Identifier: Apache-2.0
// V1.7.2: V1.7 with unroll pragmas.
// Idea     was it the unrolling, and not the moves, that V1.7 lost?
// Expect   where the compiler had unrolled the k loop of V1.7 too, nothing: then smsp__inst_executed hardly moves.
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
