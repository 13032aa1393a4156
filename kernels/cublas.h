// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/stage.h"

namespace culprit {

// Enqueues C = alpha*A*B + beta*C on `stream` of the current device through cuBLAS: single precision,
// CUBLAS_PEDANTIC_MATH, so no TF32. One handle per process and device, safe to call from several threads. Throws
// culprit::Error when cuBLAS refuses.
void CublasSgemm(const GemmProblem& problem, cudaStream_t stream);

}  // namespace culprit
