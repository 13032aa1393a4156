// SPDX-License-Identifier: Apache-2.0
// cuBLAS in plain single precision: the reference for the ladder.
// Idea     the vendor's own kernel, chosen by cuBLAS for the shape; pedantic, so neither TF32 nor a split into numbers
//          of reduced precision.
// Expect   the highest FMA pipe use of the table (smsp__inst_executed_pipe_fma); no tensor pipe at all.
#include <algorithm>

#include "kernels/cublas.h"
#include "kernels/stage.h"

namespace culprit {
namespace {

constexpr int kCallLine = __LINE__ + 1;
void Launch(const GemmProblem& p, cudaStream_t stream) { CublasSgemm(p, stream); }

}  // namespace

Stage CublasSgemmStage() {
  return {.id = "cublas_sgemm",
          .family = "reference",
          .parent = "",
          .idea = "cuBLAS in pedantic single precision, without TF32",
          .factors = {{"library", "cuBLAS"},
                      {"math mode", "CUBLAS_PEDANTIC_MATH"},
                      {"input", "fp32"},
                      {"precision", "fp32"}},
          .constraint = {},
          .source_file = "kernels/sgemm/cublas_sgemm.cpp",
          .source_line = kCallLine,
          .kernel = nullptr,
          .config = nullptr,
          .launch = Launch};
}

}  // namespace culprit
