// SPDX-License-Identifier: Apache-2.0
// V2: where the study starts, going backwards one good idea at a time.
// Idea     each thread moves one float4 of A and one of B; 8x8 sums in registers; outer products; loops unrolled.
// Expect   smsp__sass_inst_executed_op_memory_128b carries all global loads; no local memory in the static table.
// Not yet  fragment loads of B take 8 wavefronts where 4 would do (those of A, 2, do not conflict); no double buffer.
#define CULPRIT_V_STUDY_UNROLL _Pragma("unroll")
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v2(culprit::GemmProblem p) {
  using namespace culprit;
  VStudy<Move::kFloat4, Nest::kKMN>(p, InRegisters{});
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v2", ::v2, VStudyConfig(p.shape), p, stream, sizeof(float4));
}
}  // namespace

Stage V2Stage() {
  return {.id = "v2",
          .family = "v_study",
          .parent = "",
          .idea = "move tiles as float4, unroll everything, outer products in registers",
          .factors = VStudyFactors({.move = "float4", .unroll = "true"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v2.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v2),
          .config = VStudyConfig,
          .shared_accesses = VStudyFloat4Stores(),
          .launch = Launch};
}
}  // namespace culprit
