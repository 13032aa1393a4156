// SPDX-License-Identifier: Apache-2.0
// The layout in shared memory of the half-precision stages' tiles, 128x32 of A and 32x256 of B, and which thread
// accesses which part. Plain functions, shared by kernels, stage declarations and host tests.
//
// The unit is a chunk: 8 neighbouring halves of a row, 16 bytes, 4 banks. Threads copy chunks, and each row that
// ldmatrix reads is a chunk. The 8 rows of an 8x8 matrix take one wavefront if their chunks lie in 8 different groups
// of 4 banks.
#pragma once
#include "kernels/host_device.h"

namespace culprit {

inline constexpr int kHgemmTileM = 128, kHgemmTileN = 256, kHgemmTileK = 32;
inline constexpr int kHgemmThreads = 256, kHgemmWarpsN = 4;  // 2 x 4 warps
inline constexpr int kHgemmWarpM = 64, kHgemmWarpN = 64;     // results of a warp
inline constexpr int kHgemmStepK = 16;                       // k of one matrix multiplication
inline constexpr int kChunkHalves = 8;
inline constexpr int kAChunks = kHgemmTileK / kChunkHalves, kBChunks = kHgemmTileN / kChunkHalves;  // per row

// Layouts: A(row, chunk) and B(row, chunk) return a chunk's start, in halves from the start of its tile.

// A row of A spans 16 banks, so rows r and r + 2 share banks. A row of B spans all banks, so all rows of B share banks.
struct RowMajorTiles {
  static constexpr int kARow = kHgemmTileK, kBRow = kHgemmTileN;  // halves from one row to the next
  CULPRIT_HOST_DEVICE static constexpr int A(int row, int chunk) { return row * kARow + chunk * kChunkHalves; }
  CULPRIT_HOST_DEVICE static constexpr int B(int row, int chunk) { return row * kBRow + chunk * kChunkHalves; }
};

// One more chunk per row, so that consecutive rows begin 20 banks apart in A and 4 in B.
struct PaddedTiles {
  static constexpr int kARow = kHgemmTileK + kChunkHalves, kBRow = kHgemmTileN + kChunkHalves;
  CULPRIT_HOST_DEVICE static constexpr int A(int row, int chunk) { return row * kARow + chunk * kChunkHalves; }
  CULPRIT_HOST_DEVICE static constexpr int B(int row, int chunk) { return row * kBRow + chunk * kChunkHalves; }
};

// Chunks are permuted within their row, so that the same logical chunk of eight neighbouring rows lies on different
// banks. Rows of B begin on the same bank, so each of eight rows has its own permutation. Two neighbouring rows of A
// fill all banks once, so only every second row differs. Stores still touch one whole row (B) or two (A), which fill
// all banks.
struct PermutedTiles {
  static constexpr int kARow = kHgemmTileK, kBRow = kHgemmTileN;
  CULPRIT_HOST_DEVICE static constexpr int AChunk(int row, int chunk) { return chunk ^ (row / 2 % 4); }
  CULPRIT_HOST_DEVICE static constexpr int BChunk(int row, int chunk) { return chunk ^ (row % 8); }
  CULPRIT_HOST_DEVICE static constexpr int A(int row, int chunk) {
    return row * kARow + AChunk(row, chunk) * kChunkHalves;
  }
  CULPRIT_HOST_DEVICE static constexpr int B(int row, int chunk) {
    return row * kBRow + BChunk(row, chunk) * kChunkHalves;
  }
};

struct TileChunk {
  int row, chunk;
};

// What `thread` copies from global to shared memory in each round: neighbouring threads copy neighbouring chunks.
inline constexpr int kACopyRounds = kHgemmTileM * kAChunks / kHgemmThreads;
inline constexpr int kBCopyRounds = kHgemmTileK * kBChunks / kHgemmThreads;

CULPRIT_HOST_DEVICE constexpr TileChunk ACopied(int thread, int round) {
  const int chunk = thread + round * kHgemmThreads;
  return {chunk / kAChunks, chunk % kAChunks};
}

CULPRIT_HOST_DEVICE constexpr TileChunk BCopied(int thread, int round) {
  const int chunk = thread + round * kHgemmThreads;
  return {chunk / kBChunks, chunk % kBChunks};
}

// The first row or column of the results of `thread`'s warp in the block's tile.
CULPRIT_HOST_DEVICE constexpr int WarpRow(int thread) { return thread / 32 / kHgemmWarpsN * kHgemmWarpM; }
CULPRIT_HOST_DEVICE constexpr int WarpColumn(int thread) { return thread / 32 % kHgemmWarpsN * kHgemmWarpN; }

// The chunk that `thread` passes to ldmatrix.x4 for the 16x16 block of A at rows 16 i of its warp and step `step` of k.
// Lanes 0..7, 8..15, 16..23 and 24..31 address the rows of one 8x8 matrix each: upper left, lower left, upper right,
// lower right. This is the register order of A in mma.m16n8k16 (PTX ISA, "Matrix Fragments for mma.m16n8k16").
CULPRIT_HOST_DEVICE constexpr TileChunk ALoaded(int thread, int i, int step) {
  const int lane = thread % 32;
  return {WarpRow(thread) + 16 * i + lane % 16, 2 * step + lane / 16};
}

// The same for ldmatrix.x4.trans and the 16x16 block of B at columns 16 j: two registers for its left 8 columns, then
// two for its right 8.
CULPRIT_HOST_DEVICE constexpr TileChunk BLoaded(int thread, int j, int step) {
  const int lane = thread % 32;
  return {kHgemmStepK * step + lane % 16, (WarpColumn(thread) + 16 * j) / kChunkHalves + lane / 16};
}

}  // namespace culprit
