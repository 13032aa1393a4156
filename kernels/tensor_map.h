// SPDX-License-Identifier: Apache-2.0
// What the Tensor Memory Accelerator (TMA, from compute capability 9.0 on) has to know of a matrix: a kernel gets it as
// a __grid_constant__ parameter and then copies whole boxes of the matrix by one instruction.
#pragma once
#include <cuda.h>

namespace culprit {

enum class TensorElement { kFloat, kHalf, kBfloat16 };

// How a box lies in shared memory: row after row, or with the 16-byte chunks of each 128-byte row permuted, chunk c of
// row r at c ^ (r % 8). The latter wants rows of at most 128 bytes, and the box at a multiple of 1024.
enum class TensorSwizzle { kNone, k128Bytes };

// A row-major dense matrix on the device and the box in which it is copied.
struct TensorMatrix {
  const void* data = nullptr;  // at a multiple of 16 bytes
  TensorElement element = TensorElement::kFloat;
  int rows = 0, columns = 0;          // rows of a multiple of 16 bytes; one without elements is not to be copied from
  int box_rows = 0, box_columns = 0;  // at most 256 each
  TensorSwizzle swizzle = TensorSwizzle::kNone;
};

// What lies outside of the matrix is read as 0 and not written. Throws culprit::Error when the driver has no TMA or
// does not take the matrix.
CUtensorMap TensorMapOf(const TensorMatrix& matrix);

}  // namespace culprit
