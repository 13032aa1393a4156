// SPDX-License-Identifier: Apache-2.0
// V1.6.3: V1.6 with volatile tiles.
// Idea     the compiler may not cache the tiles in registers: if caching them pushed the sums out, the sums come back.
// Expect   they do not (nvcc 13.0 on sm_90: 56 registers instead of 128, and the same 256-byte stack frame). The sums
//          are in local memory because the compiler leaves the i loop rolled and so indexes r_c at run time, not for
//          want of registers. smsp__inst_executed_op_shared_ld is 2 per FFMA, 1024 a thread and tile.
// Not yet  v1_6_4 moves the sums without touching the loads.
#define CULPRIT_V_STUDY_UNROLL  // the compiler decides
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1_6_3(culprit::GemmProblem p) {
  using namespace culprit;
  VStudy<Move::kSingleFloats, Nest::kMNK, SharedTiles<volatile float>>(p, InRegisters{});
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v1_6_3", ::v1_6_3, VStudyConfig(p.shape), p, stream);
}
}  // namespace

Stage V163Stage() {
  return {.id = "v1_6_3",
          .family = "v_study",
          .parent = "v1_6",
          .idea = "read shared memory anew for every product: volatile tiles",
          .factors = VStudyFactors({.move = "single float", .nest = "m->n->k", .volatile_smem = "true"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_6_3.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_6_3),
          .config = VStudyConfig,
          .shared_accesses = VStudyVolatileAccesses(),
          .launch = Launch};
}
}  // namespace culprit
