// SPDX-License-Identifier: Apache-2.0
// Single precision as the sum of two TF32 numbers, and the infinities that such sums cannot represent.
#pragma once
#include <cstdint>

#include "kernels/stage.h"

namespace culprit {

struct Split {
  std::uint32_t big, small;
};

// Rounds to the 11 leading bits, ties away from 0. Two integer operations are faster than cvt.rna.
__device__ __forceinline__ std::uint32_t RoundToTf32(float x) { return (__float_as_uint(x) + 0x1000u) & 0xffffe000u; }

// Keeps the 11 leading bits, as tensor cores do.
__device__ __forceinline__ float CutToTf32(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }

__device__ __forceinline__ Split SplitInTwo(float x) {
  const std::uint32_t big = RoundToTf32(x);
  return {big, __float_as_uint(x - __uint_as_float(big))};  // tensor cores read its 19 leading bits
}

// Whether a sum is infinite or NaN. An infinite element of A or B causes that, because its small part, or the other
// factor's, is 0 or NaN. So does a value within 2^-12 of the largest, because its big part rounds to infinity. In
// single precision the sum may be a number or infinite.
template <int kSums>
__device__ __forceinline__ bool AnyNotFinite(const float (&sums)[kSums]) {
  float nothing = 0.0f;  // stays 0 while all sums are numbers
#pragma unroll
  for (int i = 0; i < kSums; ++i) nothing = fmaf(sums[i], 0.0f, nothing);
  return !(nothing == 0.0f);
}

// One element of A * B without tensor cores: slow, but correct for infinities.
__device__ __forceinline__ float DotByFma(const GemmProblem& p, int row, int column) {
  const float* a = p.a + static_cast<std::int64_t>(row) * p.shape.k;
  const float* b = p.b + column;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < p.shape.k; ++k, ++a, b += p.shape.n) sum = fmaf(*a, *b, sum);
  return sum;
}

}  // namespace culprit
