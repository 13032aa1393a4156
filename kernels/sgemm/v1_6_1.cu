// SPDX-License-Identifier: Apache-2.0
// V1.6.1: V1.6 with 16 bytes behind each row of both tiles.
// Idea     if bank conflicts made V1.6 slow, padding must bring time back.
// Expect   shared wavefronts move, the time does not, as long as local memory carries the sums.
// Not yet  v1_6_4 tests the other suspicion.
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
