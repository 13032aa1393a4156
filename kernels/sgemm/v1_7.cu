// SPDX-License-Identifier: Apache-2.0
// V1.7: V1.8 with another division of the tile moves.
// Idea     the block moves 256 neighbouring floats a round, so one thread's 4 floats are far apart.
// Expect   smsp__inst_executed_op_shared_st rises to 8 a thread and tile, all of 32 bits. The loads of the
//          multiplication stay V1.8's (8 LDS and 2 LDS.128 a k). Neighbouring lanes now load neighbouring floats: a
//          quarter of the sectors of global loads, and on an H100 13 % less time at 4096, where the author lost some.
// Not yet  outer products and register sums are untouched: the stack frame stays 0.
#define CULPRIT_V_STUDY_UNROLL  // the compiler decides
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1_7(culprit::GemmProblem p) {
  using namespace culprit;
  VStudy<Move::kSingleFloats, Nest::kKMN>(p, InRegisters{});
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v1_7", ::v1_7, VStudyConfig(p.shape), p, stream);
}
}  // namespace

Stage V17Stage() {
  return {.id = "v1_7",
          .family = "v_study",
          .parent = "v1_8",
          .idea = "move tiles as 4 rounds of 256 neighbouring floats instead of 4 neighbours a thread",
          .factors = VStudyFactors({.move = "single float"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_7.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_7),
          .config = VStudyConfig,
          .shared_accesses = VStudySingleFloatStores(),
          .launch = Launch};
}
}  // namespace culprit
