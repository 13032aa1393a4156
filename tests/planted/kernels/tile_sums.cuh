// SPDX-License-Identifier: Apache-2.0
// What the pairs of asynchronous copies do: each block copies tiles of its own to shared memory, one after the other,
// and adds them up, float by float over the tiles. They differ in how the tiles are copied.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/planted/kernels/job.h"

namespace culprit::tile_sums {

inline constexpr int kThreads = 128;
inline constexpr int kTileBytes = 8192;
inline constexpr int kQuads = kTileBytes / 16;   // float4 of a tile
inline constexpr int kFloats = kTileBytes / 4;   // of a tile
inline constexpr int kEach = kQuads / kThreads;  // float4 of a tile that a thread adds
inline constexpr int kTiles = 128;               // of a block
inline constexpr std::size_t kBlockQuads = std::size_t{kTiles} * kQuads;

// Adds a tile in shared memory to the thread's sums, each float4 to the one so many threads further on.
__device__ __forceinline__ void Add(const float4* tile, float4 (&sums)[kEach], int ahead = 0) {
  const int thread = (static_cast<int>(threadIdx.x) + ahead) % kThreads;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const float4 v = tile[i * kThreads + thread];
    sums[i].x += v.x, sums[i].y += v.y, sums[i].z += v.z, sums[i].w += v.w;
  }
}

__device__ __forceinline__ void Store(const float4 (&sums)[kEach], float4* out) {
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    out[static_cast<std::size_t>(blockIdx.x) * kQuads + i * kThreads + threadIdx.x] = sums[i];
}

// `size` is the number of blocks.
struct Job {
  static constexpr std::size_t kEvery = 127;
  static std::vector<float> Inputs(int blocks) { return UniformFloats(4 * kBlockQuads * blocks, 1); }
  static std::size_t Outputs(int blocks) { return static_cast<std::size_t>(blocks) * kFloats; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    const float* at = in.data() + i / kFloats * 4 * kBlockQuads + i % kFloats;
    double sum = 0, terms = 0;
    for (int tile = 0; tile < kTiles; ++tile, at += kFloats) {
      sum += *at;
      terms += std::abs(*at);
    }
    return {sum, kTiles * kFloatUnit * terms};
  }
};

inline double Flop(int blocks) { return 4.0 * kBlockQuads * blocks; }
inline double MinBytes(int blocks) { return 16.0 * (kBlockQuads + kQuads) * blocks; }

}  // namespace culprit::tile_sums
