// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/profiler/inlined_helper.cuh"

extern "C" __global__ void inlined_kernel(int* counts, const int* in) {
  const int value = in[threadIdx.x];
  AddPositive(counts, value);
  atomicMax(counts, value);
}
