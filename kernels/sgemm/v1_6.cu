// SPDX-License-Identifier: Apache-2.0
// V1.6: V1.7 with one loop moved.
// Idea     k goes innermost: inner products, as the formula reads.
// Expect   where the compiler then keeps r_c in local memory (nvcc 13.0 on sm_90: a 256-byte stack frame, no spills),
//          smsp__inst_executed_op_local_ld is no longer 0 and long_scoreboard stalls grow; shared loads may even fall.
// Not yet  no step back in the tile moves. v1_6_4 tests the suspicion.
#define CULPRIT_V_STUDY_UNROLL  // the compiler decides
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1_6(culprit::GemmProblem p) {
  using namespace culprit;
  VStudy<Move::kSingleFloats, Nest::kMNK>(p, InRegisters{});
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v1_6", ::v1_6, VStudyConfig(p.shape), p, stream);
}
}  // namespace

Stage V16Stage() {
  return {.id = "v1_6",
          .family = "v_study",
          .parent = "v1_7",
          .idea = "inner products: k becomes the innermost loop",
          .factors = VStudyFactors({.move = "single float", .nest = "m->n->k"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_6.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_6),
          .config = VStudyConfig,
          .shared_accesses = VStudySingleFloatStores(),
          .launch = Launch};
}
}  // namespace culprit
