// SPDX-License-Identifier: Apache-2.0
// The blocks of a cluster share one tile of C. Each multiplies its part of k, then sums its rows over all blocks'
// shared memories. Uses no other memory and one launch, and adds in a fixed order.
#pragma once
#include "kernels/sgemm/multistage_gemm.cuh"

// The attribute of a kernel with clusters of kParts blocks along z. Clusters need sm_90. On earlier GPUs the kernel is
// empty, and Stage::device prevents its launch.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define CULPRIT_CLUSTER(parts)
#else
#define CULPRIT_CLUSTER(parts) __cluster_dims__(1, 1, parts)
#endif

namespace culprit {

// Waits for all blocks of the cluster and makes their earlier writes visible.
__device__ __forceinline__ void SyncCluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

// Loads four floats from the address `mine` in the shared memory of the cluster's block `rank`.
__device__ __forceinline__ float4 LoadFromBlock(std::uint32_t mine, int rank) {
  float4 out = {};
#if __CUDA_ARCH__ >= 900
  std::uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(rank));
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(out.x), "=f"(out.y), "=f"(out.z), "=f"(out.w)
               : "r"(there)
               : "memory");
#endif
  return out;
}

// The part of k of block z, in whole tiles.
template <class Tile, int kParts>
__device__ __forceinline__ TileWork PartOfBlock(const GemmProblem& p) {
  TileWork work = TileOfBlock<Tile>(p);
  const int tiles = (p.shape.k + Tile::kTileK - 1) / Tile::kTileK, z = blockIdx.z;
  const auto first = [&](int part) {
    return static_cast<int>(
        min(static_cast<std::int64_t>(p.shape.k), static_cast<std::int64_t>(tiles) * part / kParts * Tile::kTileK));
  };
  work.k_begin = first(z);
  work.k_end = first(z + 1);
  return work;
}

template <class Tile, int kParts>
struct SplitTile {
  static_assert(Tile::kTileM % kParts == 0, "each block adds up the same number of rows");
  static constexpr int kSumBytes = 4 * Tile::kTileM * Tile::kTileN;
  static constexpr int kSharedBytes = Tile::kSharedBytes > kSumBytes ? Tile::kSharedBytes : kSumBytes;
};

template <class Tile, int kParts>
__device__ __forceinline__ void SplitGemm(const GemmProblem& p) {
#if __CUDA_ARCH__ >= 900
  const TileWork work = PartOfBlock<Tile, kParts>(p);
  float* const shared = multistage_shared;
  {
    float sum[Tile::kThreadM][Tile::kThreadN];
    Multiply<Tile>(p, work, shared, sum);
    __syncthreads();  // the sums overwrite the buffers
    float* const mine = shared + Tile::Row(threadIdx.x) * Tile::kTileN + Tile::Column(threadIdx.x);
#pragma unroll
    for (int r = 0; r < Tile::kThreadM; ++r) {
#pragma unroll
      for (int c = 0; c < Tile::kThreadN; c += 4)
        *reinterpret_cast<float4*>(mine + Tile::StepM(r) * Tile::kTileN + Tile::StepN(c)) =
            make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
    }
  }
  SyncCluster();
  const bool wide = (p.shape.n & 3) == 0 && (reinterpret_cast<std::uintptr_t>(p.c) & 15) == 0;
  constexpr int kFours = Tile::kTileM / kParts * Tile::kTileN / 4;
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  for (int i = threadIdx.x; i < kFours; i += Tile::kThreads) {
    const int at = (static_cast<int>(blockIdx.z) * kFours + i) * 4;
    float total[4] = {};
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      const float4 four = LoadFromBlock(base + 4 * at, part);
      total[0] += four.x;
      total[1] += four.y;
      total[2] += four.z;
      total[3] += four.w;
    }
    const int row = work.row + at / Tile::kTileN, column = work.column + at % Tile::kTileN;
    if (row >= p.shape.m || column >= p.shape.n) continue;
    float* const c = p.c + static_cast<std::int64_t>(row) * p.shape.n + column;
    if (wide) {
      StoreFour(c, p.alpha, total, p.beta);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (column + j < p.shape.n) StoreElement(&c[j], p.alpha, total[j], p.beta);
    }
  }
  SyncCluster();  // a block must not end before all blocks have read its shared memory
#endif
}

template <class Tile, int kParts>
LaunchConfig SplitConfig(const GemmShape& s) {
  LaunchConfig config = MultistageConfig<Tile>(s);
  config.grid.z = kParts;
  config.dynamic_shared_bytes = SplitTile<Tile, kParts>::kSharedBytes;
  return config;
}

}  // namespace culprit
