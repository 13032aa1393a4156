// SPDX-License-Identifier: Apache-2.0
// Release builds check nothing; this file does in any build.
#undef NDEBUG
#include "kernels/matrix.h"
#include "tests/gpu/matrix_bounds_kernel.h"

namespace culprit {
namespace {

__global__ void Touch(MatrixTouch touch, float* out) {
  float data[15] = {};
  data[14] = 14;
  const Matrix<float> matrix(data, 3, 5);
  switch (touch) {
    case MatrixTouch::kLastElement:
      *out = matrix(2, 4);
      break;
    case MatrixTouch::kRowBehind:
      *out = matrix(3, 0);
      break;
    case MatrixTouch::kColumnBehind:
      *out = matrix(0, 5);
      break;
    case MatrixTouch::kRowBefore:
      *out = matrix(-1, 4);
      break;
    case MatrixTouch::kIndexBehind:
      *out = matrix(15);
      break;
    case MatrixTouch::kSubBehind:
      *out = matrix.Sub(1, 1, 2, 5)(0, 0);
      break;
  }
}

}  // namespace

cudaError_t TouchMatrix(MatrixTouch touch, float* read) {
  float* out = nullptr;
  if (const cudaError_t failed = cudaMalloc(&out, sizeof *out); failed != cudaSuccess) return failed;
  Touch<<<1, 1>>>(touch, out);
  return cudaMemcpy(read, out, sizeof *out, cudaMemcpyDeviceToHost);  // the process ends soon, and frees it
}

}  // namespace culprit
