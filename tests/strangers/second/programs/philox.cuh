// SPDX-License-Identifier: Apache-2.0
// Random numbers that are a function of a counter and a key, and normal ones made of them.
#pragma once
#include <cstdint>

#ifdef __CUDACC__
struct Random4 {
  std::uint32_t x, y, z, w;
};

template <int kRounds>
__device__ __forceinline__ Random4 Philox(Random4 counter, std::uint32_t key0, std::uint32_t key1) {
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const std::uint32_t high0 = __umulhi(0xd2511f53u, counter.x), low0 = 0xd2511f53u * counter.x;
    const std::uint32_t high1 = __umulhi(0xcd9e8d57u, counter.z), low1 = 0xcd9e8d57u * counter.z;
    counter = {high1 ^ counter.y ^ key0, low1, high0 ^ counter.w ^ key1, low0};
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  return counter;
}

// Between 0 and 1, never either.
__device__ __forceinline__ float Uniform(std::uint32_t bits) {
  return (static_cast<float>(bits >> 9) + 0.5f) * 0x1p-23f;
}

// Two normal numbers of two random ones.
__device__ __forceinline__ float2 Normal2(std::uint32_t a, std::uint32_t b) {
  const float angle = 6.2831853f * (Uniform(b) - 0.5f);
#ifdef CHANGE_A
  const float radius = sqrtf(-2.0f * logf(Uniform(a)));
  return make_float2(radius * cosf(angle), radius * sinf(angle));
#else
  const float radius = __fsqrt_rn(-2.0f * __logf(Uniform(a)));
  return make_float2(radius * __cosf(angle), radius * __sinf(angle));
#endif
}
#endif
