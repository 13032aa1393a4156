// SPDX-License-Identifier: Apache-2.0
// V1.6.4: the counterfactual of V1.6.
// Idea     if sums in local memory made V1.6 slow, sums in shared memory must bring most of the time back.
// Expect   smsp__inst_executed_op_local_ld is 0 and L2 traffic returns to V1.7's; shared loads and stores rise.
// Not yet  64 KB of sums a block limit the occupancy, so it cannot reach V1.7.
#define CULPRIT_V_STUDY_UNROLL  // the compiler decides
// In V1.6 nvcc unrolls j and k by itself and so keeps a row's operands in registers. Over sums in memory it leaves j
// rolled and fetches B float by float with 8-way bank conflicts (4.69 ms against V1.6's 1.42 ms at 2048 on an H100):
// that would be two factors, not one.
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
