// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/stage.h"

namespace culprit {

// Enqueues C = alpha*A*B + beta*C on `stream` of the current device through cuBLAS: single precision,
// CUBLAS_PEDANTIC_MATH, so no TF32. One handle per process and device, safe to call from several threads. Throws
// culprit::Error when cuBLAS refuses.
void CublasSgemm(const GemmProblem& problem, cudaStream_t stream);

// The same with fp16 inputs, accumulated in fp32 (CUBLAS_COMPUTE_32F) in whatever way cuBLAS finds fastest.
void CublasHgemm(const HgemmProblem& problem, cudaStream_t stream);

}  // namespace culprit
