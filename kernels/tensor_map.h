// SPDX-License-Identifier: Apache-2.0
// Describes a matrix to the Tensor Memory Accelerator (TMA, compute capability 9.0 and later). A kernel takes the map
// as a __grid_constant__ parameter and copies a box of the matrix with one instruction.
#pragma once
#include <cuda.h>

namespace culprit {

enum class TensorElement { kFloat, kHalf, kBfloat16 };

// The layout of a box in shared memory. kNone: row after row. k128Bytes: the 16-byte chunks of each 128-byte row are
// permuted, so that chunk c of row r is at c ^ (r % 8). This needs rows of at most 128 bytes, and boxes aligned to 1024
// bytes.
enum class TensorSwizzle { kNone, k128Bytes };

// A row-major dense matrix on the device, and the size of its boxes.
struct TensorMatrix {
  const void* data = nullptr;  // at a multiple of 16 bytes
  TensorElement element = TensorElement::kFloat;
  int rows = 0, columns = 0;          // a row must be a multiple of 16 bytes; do not copy from an empty matrix
  int box_rows = 0, box_columns = 0;  // at most 256 each
  TensorSwizzle swizzle = TensorSwizzle::kNone;
};

// Copies read 0 outside of the matrix, and do not write there. Throws culprit::Error if the driver does not support the
// TMA or refuses the matrix.
CUtensorMap TensorMapOf(const TensorMatrix& matrix);

}  // namespace culprit
