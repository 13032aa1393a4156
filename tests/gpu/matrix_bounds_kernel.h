// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

namespace culprit {

// How to touch a matrix of 3 x 5 in a kernel whose bounds are checked.
enum class MatrixTouch {
  kLastElement,  // the one that is inside
  kRowBehind,
  kColumnBehind,  // inside the memory, as the first element of the next row
  kRowBefore,
  kIndexBehind,
  kSubBehind,
};

// What the kernel ended with; `read`, on the host, is the element when that is success.
cudaError_t TouchMatrix(MatrixTouch touch, float* read);

}  // namespace culprit
