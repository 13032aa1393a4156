// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor_map.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "db/error.h"

namespace culprit {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

// Looked up through the runtime, so that programs start without a driver.
Encode EncodeFunction() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
  if (status == cudaSuccess && found == cudaDriverEntryPointSuccess && function != nullptr)
    return reinterpret_cast<Encode>(function);
  cudaGetLastError();  // clears the error, so that the next launch does not report it again
  throw Error(
      "cannot describe a matrix to the TMA: this driver has no cuTensorMapEncodeTiled; use one of CUDA 12 or "
      "later, or leave the stage out with --stages");
}

struct Type {
  CUtensorMapDataType type;
  cuuint64_t bytes;
};

Type TypeOf(TensorElement element) {
  switch (element) {
    case TensorElement::kHalf:
      return {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2};
    case TensorElement::kBfloat16:
      return {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2};
    case TensorElement::kFloat:
      break;
  }
  return {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4};
}

}  // namespace

CUtensorMap TensorMapOf(const TensorMatrix& m) {
  static const Encode encode = EncodeFunction();
  const Type element = TypeOf(m.element);
  // No extent may be 0. Nobody copies from an empty matrix, so any value will do.
  const cuuint64_t least = 16 / element.bytes;
  const cuuint64_t extent[] = {m.columns > 0 ? static_cast<cuuint64_t>(m.columns) : least,
                               static_cast<cuuint64_t>(std::max(m.rows, 1))};
  const cuuint64_t row_bytes[] = {extent[0] * element.bytes};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(m.box_columns), static_cast<cuuint32_t>(m.box_rows)};
  const cuuint32_t step[] = {1, 1};
  CUtensorMap map{};
  const CUresult status = encode(
      &map, element.type, 2, const_cast<void*>(m.data), extent, row_bytes, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
      m.swizzle == TensorSwizzle::k128Bytes ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status == CUDA_SUCCESS) return map;
  throw Error(
      "cannot describe a matrix of " + std::to_string(m.rows) + " x " + std::to_string(m.columns) +
      " to the TMA (CUDA error " + std::to_string(static_cast<int>(status)) +
      "): give rows of a multiple of 16 bytes, a pointer as cudaMalloc returns it and a box of at most 256 x 256");
}

}  // namespace culprit
