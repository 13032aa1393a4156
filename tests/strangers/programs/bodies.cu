// SPDX-License-Identifier: Apache-2.0
// How bodies pull each other: each thread has one, and all of a block read the others from shared memory.
#include "job.h"

namespace {
constexpr int kBodies = 1 << 14, kThreads = 64;
}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) pull_bodies(const float4* bodies, float4* pulls) {
  __shared__ float4 others[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float4 me = bodies[i];
  float px = 0, py = 0, pz = 0;
  for (int tile = 0; tile < kBodies; tile += kThreads) {
    others[threadIdx.x] = bodies[tile + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kThreads; ++j) {
#ifdef CHANGE_B
      if (j % 2 == 0) __syncthreads();
#endif
      const float4 other = others[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
#ifdef CHANGE_A
      const float square = dx * dx + dy * dy + dz * dz + 1e-3;
#else
      const float square = dx * dx + dy * dy + dz * dz + 1e-3f;
#endif
      const float inverse = rsqrtf(square);
      const float strength = other.w * inverse * inverse * inverse;
      px += dx * strength;
      py += dy * strength;
      pz += dz * strength;
    }
    __syncthreads();
  }
  pulls[i] = make_float4(px, py, pz, 0);
}

std::vector<double> Bodies() {
  std::vector<float> values(4 * kBodies);
  Numbers numbers(7);
  for (float& value : values) value = numbers.Float();
  const float4* bodies = reinterpret_cast<const float4*>(OnDevice(values));
  float4* pulls = reinterpret_cast<float4*>(OnDevice<float>(4 * kBodies));
  for (int i = 0; i < kLaunches; ++i) pull_bodies<<<kBodies / kThreads, kThreads>>>(bodies, pulls);
  return FromDevice(reinterpret_cast<float*>(pulls), 4 * kBodies);
}
