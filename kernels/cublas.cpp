// SPDX-License-Identifier: Apache-2.0
#include "kernels/cublas.h"

#include <cublas_v2.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "db/error.h"

namespace culprit {
namespace {

void Check(cublasStatus_t status, const std::string& doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error("cannot " + doing + ": cuBLAS says " + cublasGetStatusString(status) +
              "; check that libcublas matches the driver and that device memory is free");
}

// Calls `multiply` with the current device's handle. A handle holds its stream and mode, so it serves one caller at a
// time. Handles are never destroyed: a static destructor would run after the CUDA runtime has ended.
template <class Multiply>
void WithHandle(cublasMath_t math, cudaStream_t stream, Multiply multiply) {
  static std::mutex mutex;
  static auto& handles = *new std::map<int, cublasHandle_t>;
  int device = 0;
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) {
    throw Error(std::string("cannot find the device for cuBLAS: ") + cudaGetErrorString(status));
  }
  const std::scoped_lock lock(mutex);
  cublasHandle_t& handle = handles[device];
  if (handle == nullptr) Check(cublasCreate(&handle), "start cuBLAS");
  Check(cublasSetMathMode(handle, math), "set the math mode of cuBLAS");
  Check(cublasSetStream(handle, stream), "give cuBLAS a stream");
  Check(multiply(handle), "multiply with cuBLAS");
}

}  // namespace

// cuBLAS is column-major: it reads a row-major matrix as its transpose, and C^T = B^T * A^T.

void CublasSgemm(const GemmProblem& p, cudaStream_t stream) {
  const auto [m, n, k] = p.shape;
  WithHandle(CUBLAS_PEDANTIC_MATH, stream, [&, m = m, n = n, k = k](cublasHandle_t handle) {
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &p.alpha, p.b, n, p.a, std::max(1, k), &p.beta, p.c,
                       n);
  });
}

void CublasHgemm(const HgemmProblem& p, cudaStream_t stream) {
  const auto [m, n, k] = p.shape;
  WithHandle(CUBLAS_DEFAULT_MATH, stream, [&, m = m, n = n, k = k](cublasHandle_t handle) {
    return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &p.alpha, p.b, CUDA_R_16F, n, p.a, CUDA_R_16F,
                        std::max(1, k), &p.beta, p.c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  });
}

}  // namespace culprit
