// SPDX-License-Identifier: Apache-2.0
// Where the 128x32 tile of A and the 32x256 tile of B of the half-precision stages lie in shared memory, and which
// thread touches which part of them. Plain functions, so that kernels, what stages state of themselves and tests on the
// host use the same ones.
//
// The unit is a chunk, 8 neighbouring halves of a row: 16 bytes, 4 banks. Threads copy chunks, and each row that
// ldmatrix reads is one. The 8 rows of an 8x8 matrix are served in one wavefront when their chunks lie on 8 different
// groups of 4 banks.
#pragma once
#include "kernels/host_device.h"

namespace culprit {

inline constexpr int kHgemmTileM = 128, kHgemmTileN = 256, kHgemmTileK = 32;
inline constexpr int kHgemmThreads = 256, kHgemmWarpsN = 4;  // 2 x 4 warps
inline constexpr int kHgemmWarpM = 64, kHgemmWarpN = 64;     // results of a warp
inline constexpr int kHgemmStepK = 16;                       // of one matrix multiplication
inline constexpr int kChunkHalves = 8;
inline constexpr int kAChunks = kHgemmTileK / kChunkHalves, kBChunks = kHgemmTileN / kChunkHalves;  // of a row

// Layouts: A(row, chunk) and B(row, chunk) are where a chunk begins, in halves from the start of its tile.

// A row of A is 16 banks, so rows r and r + 2 share theirs; a row of B is four times all banks, so all rows do.
struct RowMajorTiles {
  static constexpr int kARow = kHgemmTileK, kBRow = kHgemmTileN;  // halves from one row to the next
  CULPRIT_HOST_DEVICE static constexpr int A(int row, int chunk) { return row * kARow + chunk * kChunkHalves; }
  CULPRIT_HOST_DEVICE static constexpr int B(int row, int chunk) { return row * kBRow + chunk * kChunkHalves; }
};

// One more chunk per row: consecutive rows of A begin 20 banks apart, of B 4.
struct PaddedTiles {
  static constexpr int kARow = kHgemmTileK + kChunkHalves, kBRow = kHgemmTileN + kChunkHalves;
  CULPRIT_HOST_DEVICE static constexpr int A(int row, int chunk) { return row * kARow + chunk * kChunkHalves; }
  CULPRIT_HOST_DEVICE static constexpr int B(int row, int chunk) { return row * kBRow + chunk * kChunkHalves; }
};

// Chunks change places within their row. Eight neighbouring rows must not have one logical chunk on the same banks. Of
// B they begin on the same bank, so each of the eight exchanges its chunks in another way. Of A two neighbouring rows
// fill all banks once, so only every second row need differ. A row (B) or two (A) still fill all banks, which is what
// stores touch.
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

// What `thread` moves from global to shared memory in each round: neighbouring threads move neighbouring chunks.
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

// First row or column of the results of `thread`'s warp within the block's tile.
CULPRIT_HOST_DEVICE constexpr int WarpRow(int thread) { return thread / 32 / kHgemmWarpsN * kHgemmWarpM; }
CULPRIT_HOST_DEVICE constexpr int WarpColumn(int thread) { return thread / 32 % kHgemmWarpsN * kHgemmWarpN; }

// Which chunk `thread` names to ldmatrix.x4 for the 16x16 block of A at rows 16 i of its warp and step `step` of k.
// Lanes 0..7, 8..15, 16..23 and 24..31 name the rows of one 8x8 matrix each: upper left, lower left, upper right, lower
// right, the order of the four registers that mma.m16n8k16 wants for A (PTX ISA, "Matrix Fragments for
// mma.m16n8k16").
CULPRIT_HOST_DEVICE constexpr TileChunk ALoaded(int thread, int i, int step) {
  const int lane = thread % 32;
  return {WarpRow(thread) + 16 * i + lane % 16, 2 * step + lane / 16};
}

// The same for ldmatrix.x4.trans and the 16x16 block of B at columns 16 j: two registers for the multiplication of its
// left 8 columns, then two for its right.
CULPRIT_HOST_DEVICE constexpr TileChunk BLoaded(int thread, int j, int step) {
  const int lane = thread % 32;
  return {kHgemmStepK * step + lane % 16, (WarpColumn(thread) + 16 * j) / kChunkHalves + lane / 16};
}

}  // namespace culprit
