// SPDX-License-Identifier: Apache-2.0
// What the two files share that compile the kernels of the pair orbit_unit.
#pragma once
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>

namespace culprit {

constexpr int kOrbitThreads = 128;
constexpr int kOrbitSteps = 512;

// How many steps z <- z^2 + c from 0 stay within a radius of 2, where c is twice the point. Each operation is one
// rounding on the host as on the device.
__host__ __device__ inline float Orbit(float2 point) {
  const float cx = 2 * point.x, cy = 2 * point.y;
  float x = 0, y = 0;
  int steps = 0;
#pragma unroll 1
  while (steps < kOrbitSteps && fmaf(x, x, y * y) <= 4.0f) {
    const float next = fmaf(x, x, fmaf(-y, y, cx));
    y = fmaf(2 * x, y, cy);
    x = next;
    ++steps;
  }
  return static_cast<float>(steps);
}

}  // namespace culprit

extern "C" __global__ void orbit_in_one_file(const float2* in, float* out);
extern "C" __global__ void orbit_in_another_file(const float2* in, float* out);
