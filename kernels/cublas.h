// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/stage.h"

namespace culprit {

// Enqueues C = alpha*A*B + beta*C on `stream` of the current device through cuBLAS in single precision, with
// CUBLAS_PEDANTIC_MATH, so without TF32. Uses one handle per process and device; thread-safe. Throws culprit::Error
// when cuBLAS refuses.
void CublasSgemm(const GemmProblem& problem, cudaStream_t stream);

// The same with fp16 inputs and fp32 accumulation (CUBLAS_COMPUTE_32F). cuBLAS chooses the algorithm.
void CublasHgemm(const HgemmProblem& problem, cudaStream_t stream);

}  // namespace culprit
