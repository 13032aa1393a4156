// SPDX-License-Identifier: Apache-2.0
// cuBLAS with half-precision inputs: the reference for the half-precision stages.
// Idea     the vendor's own kernel, chosen by cuBLAS for the shape: fp16 in, accumulated and stored in fp32.
// Expect   the highest tensor pipe use of the table (sm__inst_executed_pipe_tensor or, where cuBLAS takes a Hopper
//          kernel, stall_gmma).
#include "kernels/cublas.h"
#include "kernels/stage.h"

namespace culprit {
namespace {

constexpr int kCallLine = __LINE__ + 1;
void Launch(const HgemmProblem& p, cudaStream_t stream) { CublasHgemm(p, stream); }

}  // namespace

Stage CublasHgemmStage() {
  return {.id = "cublas_hgemm",
          .family = "reference",
          .parent = "",
          .idea = "cuBLAS with fp16 inputs, accumulated and stored in fp32",
          .factors = {{"library", "cuBLAS"},
                      {"math mode", "CUBLAS_DEFAULT_MATH"},
                      {"input", "fp16"},
                      {"precision", "fp32"}},
          .constraint = {},
          .source_file = "kernels/hgemm/cublas_hgemm.cpp",
          .source_line = kCallLine,
          .kernel = nullptr,
          .config = nullptr,
          .launch = Launch};
}

}  // namespace culprit
