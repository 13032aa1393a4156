// SPDX-License-Identifier: Apache-2.0
// V1.6.1: V1.6 with 16 bytes behind each row of both tiles.
// Idea     if bank conflicts made V1.6 slow, and padding removes them, time must come back.
// Expect   padding removes none. The loads of B conflict; a warp's are in one row, which padding moves as a whole:
//          8 wavefronts where 4 would do, as before. Stores of A span 4 rows and go from 1 wavefront to 2. Measured on
//          an H100 at 4096: excess wavefronts rise from 268 to 285 million, and the time stays within 0.2 %.
// Not yet  so it is no proof that bank conflicts do not matter, only that this padding does not. v1_6_4 tests the other
//          suspicion.
#define CULPRIT_V_STUDY_UNROLL  // the compiler decides
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1_6_1(culprit::GemmProblem p) {
  using namespace culprit;
  // Four floats: rows stay aligned to 16 bytes, so the compiler may widen what it widened before.
  VStudy<Move::kSingleFloats, Nest::kMNK, SharedTiles<float, 4>>(p, InRegisters{});
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v1_6_1", ::v1_6_1, VStudyConfig(p.shape), p, stream);
}
}  // namespace

Stage V161Stage() {
  return {.id = "v1_6_1",
          .family = "v_study",
          .parent = "v1_6",
          .idea = "pad each row of both tiles by 16 bytes",
          .factors = VStudyFactors(
              {.move = "single float", .nest = "m->n->k", .bank_conflicts = "16 bytes padding per smem row"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_6_1.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_6_1),
          .config = VStudyConfig,
          .shared_accesses = VStudySingleFloatStores(4),
          .launch = Launch};
}
}  // namespace culprit
