// SPDX-License-Identifier: Apache-2.0
// V1.6.4: the counterfactual of V1.6.
// Idea     if sums in local memory made V1.6 slow, sums in shared memory must bring most of the time back.
// Expect   smsp__inst_executed_op_local_ld is 0 and L2 traffic returns to V1.7's; shared loads and stores rise.
// Not yet  each sum passes through shared memory once a tile, so it cannot reach V1.7 (H100 at 4096: 7.4 ms, between
//          V1.6's 10.4 and V1.7's 5.4, with as many warps resident).
#define CULPRIT_V_STUDY_UNROLL  // the compiler decides
// What nvcc decides for j in V1.6 is to unroll it: with this pragma V1.6 has its own machine code, byte by byte, on
// every architecture that is built (13.0; a test holds it). Over sums in memory it would leave j rolled and
// fetch B float by float with bank conflicts (4.69 ms against V1.6's 1.42 ms at 2048 on an H100). So the pragma keeps a
// factor as it was, and "unroll" stays false.
#define CULPRIT_V_STUDY_UNROLL_J _Pragma("unroll")
#include "kernels/sgemm/v_study.cuh"

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1_6_4(culprit::GemmProblem p) {
  using namespace culprit;
  extern __shared__ float sums[];
  const int thread = threadIdx.y * kThreadsX + threadIdx.x;
  VStudy<Move::kSingleFloats, Nest::kMNK>(p, InShared(sums, thread));
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) {
  LaunchConfig config = VStudyConfig(s);
  config.dynamic_shared_bytes = kInSharedBytes;
  return config;
}
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("v1_6_4", ::v1_6_4, Config(p.shape), p, stream);
}
}  // namespace

Stage V164Stage() {
  return {.id = "v1_6_4",
          .family = "v_study",
          .parent = "v1_6",
          .idea = "keep the sums in shared memory, where no compiler can move them to local memory",
          .factors = VStudyFactors({.move = "single float", .nest = "m->n->k", .sums = "__shared__ float r_c[8][8]"}),
          .constraint = kVStudyShapes,
          .source_file = "kernels/sgemm/v1_6_4.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1_6_4),
          .config = Config,
          .shared_accesses = VStudySumsInShared(),
          .launch = Launch};
}
}  // namespace culprit
