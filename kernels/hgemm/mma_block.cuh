// SPDX-License-Identifier: Apache-2.0
// The common source of the mma.sync stages, so that they differ only in the layout of their tiles.
#pragma once
#include "kernels/hgemm/block_copy.cuh"

namespace culprit {

struct MatrixFour {
  unsigned r[4];
};

// ldmatrix of four 8x8 matrices; `row` is this lane's row in shared memory.
__device__ __forceinline__ MatrixFour LoadFour(const __half* row) {
  MatrixFour m;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m.r[0]), "=r"(m.r[1]), "=r"(m.r[2]), "=r"(m.r[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
  return m;
}

__device__ __forceinline__ MatrixFour LoadFourTransposed(const __half* row) {
  MatrixFour m;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m.r[0]), "=r"(m.r[1]), "=r"(m.r[2]), "=r"(m.r[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
  return m;
}

// sum (16x8) += a (16x16) * b (16x8, two registers).
__device__ __forceinline__ void Multiply(float (&sum)[4], const MatrixFour& a, const unsigned* b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b[0]), "r"(b[1]));
#else  // Turing multiplies the left half of a by the upper half of b, then the other halves
  for (int half = 0; half < 2; ++half) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a.r[2 * half]), "r"(a.r[2 * half + 1]), "r"(b[half]));
  }
#endif
}

__device__ __forceinline__ void StoreTwo(float* c, float alpha, const float* product, float beta) {
  float2 out = make_float2(alpha * product[0], alpha * product[1]);
  if (beta != 0.0f) {
    const float2 old = *reinterpret_cast<const float2*>(c);
    out.x += beta * old.x;
    out.y += beta * old.y;
  }
  *reinterpret_cast<float2*>(c) = out;
}

template <class Tiles>
__device__ __forceinline__ void MmaBlock(const HgemmProblem& p) {
  constexpr int kRows = kHgemmWarpM / 16, kColumns = kHgemmWarpN / 8;  // m16n8 results per warp
  __shared__ __align__(128) __half a_tile[kHgemmTileM * Tiles::kARow];
  __shared__ __align__(128) __half b_tile[kHgemmTileK * Tiles::kBRow];
  const int thread = threadIdx.x;
  float sum[kRows][kColumns][4] = {};
  ForEachTile<Tiles>(p, a_tile, b_tile, [&] {
#pragma unroll
    for (int step = 0; step < kHgemmTileK / kHgemmStepK; ++step) {
      MatrixFour a[kRows];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const TileChunk from = ALoaded(thread, i, step);
        a[i] = LoadFour(a_tile + Tiles::A(from.row, from.chunk));
      }
#pragma unroll
      for (int j = 0; j < kColumns; j += 2) {
        const TileChunk from = BLoaded(thread, j / 2, step);
        const MatrixFour b = LoadFourTransposed(b_tile + Tiles::B(from.row, from.chunk));
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
          Multiply(sum[i][j], a[i], b.r);
          Multiply(sum[i][j + 1], a[i], b.r + 2);
        }
      }
    }
  });

  // Of each 16x8, a lane holds two neighbours in row lane / 4 and two in the row 8 below (PTX ISA, as for A).
  const int n = p.shape.n, lane = thread % 32;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kHgemmTileM + WarpRow(thread) + lane / 4;
  float* const c = p.c + row * n + blockIdx.x * kHgemmTileN + WarpColumn(thread) + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      float* const upper = c + static_cast<std::int64_t>(i) * 16 * n + j * 8;
      StoreTwo(upper, p.alpha, &sum[i][j][0], p.beta);
      StoreTwo(upper + static_cast<std::int64_t>(8) * n, p.alpha, &sum[i][j][2], p.beta);
    }
  }
}

}  // namespace culprit
