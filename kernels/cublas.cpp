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

cublasHandle_t NewHandle() {
  cublasHandle_t handle = nullptr;
  Check(cublasCreate(&handle), "start cuBLAS");
  Check(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH), "set cuBLAS to pedantic math");
  return handle;
}

}  // namespace

void CublasSgemm(const GemmProblem& problem, cudaStream_t stream) {
  // A handle holds its stream, so it serves one caller at a time. Handles live as long as the process: destroying one
  // from a static destructor would come after the CUDA runtime's own end.
  static std::mutex mutex;
  static auto& handles = *new std::map<int, cublasHandle_t>;
  int device = 0;
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) {
    throw Error(std::string("cannot find the device for cuBLAS: ") + cudaGetErrorString(status));
  }
  const std::scoped_lock lock(mutex);
  cublasHandle_t& handle = handles[device];
  if (handle == nullptr) handle = NewHandle();
  Check(cublasSetStream(handle, stream), "give cuBLAS a stream");
  // cuBLAS is column-major. Read as column-major, a row-major matrix is its transpose, and C^T = B^T * A^T.
  const auto [m, n, k] = problem.shape;
  Check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &problem.alpha, problem.b, n, problem.a, std::max(1, k),
                    &problem.beta, problem.c, n),
        "multiply with cuBLAS");
}

}  // namespace culprit
