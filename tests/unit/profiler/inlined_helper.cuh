// SPDX-License-Identifier: Apache-2.0
// What inlined_kernel.cu calls: the compiler inlines both, and the toolkit's atomicAdd into them.
#pragma once

__device__ __forceinline__ void AddTo(int* count, int value) { atomicAdd(count, value); }

__device__ __forceinline__ void AddPositive(int* counts, int value) {
  if (value > 0) AddTo(counts + value, value);
}
