// SPDX-License-Identifier: Apache-2.0
// The layout of the wgmma stages' tiles in shared memory, their addresses for wgmma, and the order in which blocks take
// the tiles of C. Plain functions, as in block_tile.h.
//
// A buffer holds one step of k: 128x64 of A, then 64x256 of B. The TMA writes rows of 128 bytes (64 halves) and
// permutes their 16-byte chunks; wgmma reverses that. 8 rows form a pattern of 1024 bytes. A is one box of such rows; B
// is four boxes of 64 columns.
#pragma once
#include <cstdint>

#include "kernels/host_device.h"

namespace culprit {

inline constexpr int kWgmmaTileM = 128, kWgmmaTileN = 256, kWgmmaTileK = 64;
inline constexpr int kWgmmaRows = 64, kWgmmaStepK = 16;       // of one multiplication: m64n256k16
inline constexpr int kWarpgroup = 128;                        // threads
inline constexpr int kWarpgroups = kWgmmaTileM / kWgmmaRows;  // warpgroups that multiply
inline constexpr int kWgmmaSums = kWgmmaRows * kWgmmaTileN / kWarpgroup;

inline constexpr int kBoxColumns = 64, kBoxRowBytes = 128;
inline constexpr int kBBoxBytes = kWgmmaTileK * kBoxRowBytes;

inline constexpr int kSwizzleBytes = 1024;  // the permutation of chunks repeats after this

// wgmma's descriptor of a matrix in shared memory (PTX ISA, "Matrix Descriptor"). It has the start address, two
// strides in bytes, and the swizzle mode: chunks are permuted within 128 bytes.
CULPRIT_HOST_DEVICE constexpr std::uint64_t MatrixDescriptor(std::uint32_t address, std::uint32_t leading,
                                                             std::uint32_t stride) {
  return (address & 0x3ffffu) >> 4 | static_cast<std::uint64_t>(leading >> 4) << 16 |
         static_cast<std::uint64_t>(stride >> 4) << 32 | std::uint64_t{1} << 62;
}

// 64 rows of A at step `step` of the buffer's k: 8 rows take 1024 bytes, and k continues within a row.
CULPRIT_HOST_DEVICE constexpr std::uint64_t ADescriptor(std::uint32_t rows, int step) {
  return MatrixDescriptor(rows + step * kWgmmaStepK * 2, 16, kSwizzleBytes);
}

// All columns of B at step `step`: 8 rows of k take 1024 bytes, and the next 64 columns are in the next box.
CULPRIT_HOST_DEVICE constexpr std::uint64_t BDescriptor(std::uint32_t boxes, int step) {
  return MatrixDescriptor(boxes + step * kWgmmaStepK * kBoxRowBytes, kBBoxBytes, kSwizzleBytes);
}

// C is stored through shared memory: each warp has 16 rows and takes 32 columns (128 bytes) at a time, alternating
// between two boxes.
inline constexpr int kCBoxRows = 16, kCBoxColumns = 32, kCBoxBytes = kCBoxRows * kBoxRowBytes, kCBoxesOfWarp = 2;
inline constexpr int kCBoxes = kWgmmaTileN / kCBoxColumns;  // of a warp
inline constexpr int kCBytes = kWgmmaTileM / kCBoxRows * kCBoxesOfWarp * kCBoxBytes;

// Byte offset in a box of C of columns 2 p and 2 p + 1 of a row: half of chunk p / 2.
CULPRIT_HOST_DEVICE constexpr int CPair(int row, int pair) {
  return row * kBoxRowBytes + ((pair / 2 ^ row % 8) * 16) + pair % 2 * 8;
}

struct TilePlace {
  int row = 0, column = 0;  // in tiles
  bool operator==(const TilePlace&) const = default;
};

// Tiles are taken row after row, or in groups of kGroupRows rows and column after column within a group. In groups,
// blocks that run at the same time share more of A and B.
enum class TileOrder { kRows, kGroups };
inline constexpr int kGroupRows = 8;

CULPRIT_HOST_DEVICE constexpr TilePlace TileAt(TileOrder order, int index, int rows, int columns) {
  if (order == TileOrder::kRows) return {index / columns, index % columns};
  const int first = index / (kGroupRows * columns) * kGroupRows;  // row
  const int height = rows - first < kGroupRows ? rows - first : kGroupRows;
  const int within = index - first * columns;
  return {first + within % height, within / height};
}

}  // namespace culprit
