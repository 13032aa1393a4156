// SPDX-License-Identifier: Apache-2.0
// V1.6 with the pragma that V1.6.4 puts before the j loop: compiled for its machine code, never launched.
#define CULPRIT_V_STUDY_UNROLL  // the compiler decides
#define CULPRIT_V_STUDY_UNROLL_J _Pragma("unroll")
#include "kernels/sgemm/v_study.cuh"

extern "C" __global__ void v1_6_unrolled_j(culprit::GemmProblem p) {
  using namespace culprit;
  VStudy<Move::kSingleFloats, Nest::kMNK>(p, InRegisters{});
}
