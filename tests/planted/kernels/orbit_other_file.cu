// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/kernels/orbit.h"

extern "C" __global__ void orbit_in_another_file(const float2* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * culprit::kOrbitThreads + threadIdx.x;
  out[i] = culprit::Orbit(in[i]);
}
