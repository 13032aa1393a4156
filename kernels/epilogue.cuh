// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace culprit {

// One element of alpha * A * B + beta * C. As in BLAS, C is not read when beta == 0, because it may be NaN.
__device__ __forceinline__ void StoreElement(float* c, float alpha, float product, float beta) {
  *c = beta == 0.0f ? alpha * product : alpha * product + beta * *c;
}

// Four neighbours at once; `c` must be aligned to 16 bytes.
__device__ __forceinline__ void StoreFour(float* c, float alpha, const float* product, float beta) {
  float4 out = make_float4(alpha * product[0], alpha * product[1], alpha * product[2], alpha * product[3]);
  if (beta != 0.0f) {
    const float4 old = *reinterpret_cast<const float4*>(c);
    out.x += beta * old.x;
    out.y += beta * old.y;
    out.z += beta * old.z;
    out.w += beta * old.w;
  }
  *reinterpret_cast<float4*>(c) = out;
}

}  // namespace culprit
