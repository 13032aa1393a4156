// SPDX-License-Identifier: Apache-2.0
// Assigns the results of a 128x128 tile of C to 256 threads, 8x8 to each. Plain functions, so that a host test can
// count the bank conflicts of the loads.
//
// Z-order: a warp is 8 rows x 4 columns of threads; its rows come from lane bits 1, 2 and 4, its columns from bits 0
// and 3:
//     0  1  8  9
//     2  3 10 11
//     4  5 12 13
//     6  7 14 15
//    16 17 24 25  ...
// The reason for these bits: the hardware serves two quarters of a half warp's 128-bit load in one wavefront if each
// lane i reads the same as lane i^1 (here for A) or as lane i^2 (for B), and no bank gets two addresses.
#pragma once
#include "kernels/host_device.h"

namespace culprit {

inline constexpr int kZOrderWarpsX = 4;  // 2 x 4 warps of 64 x 32 results cover 128 x 128

// `thread` is 0..255 within the block. Returns the index of a piece of 8 rows, 0..15.
CULPRIT_HOST_DEVICE constexpr int ZOrderRow(int thread) {
  const int warp = thread / 32, lane = thread % 32;
  return warp / kZOrderWarpsX * 8 + (lane >> 4 & 1) * 4 + (lane >> 1 & 3);
}

// Returns the index of a piece of 8 columns, 0..15.
CULPRIT_HOST_DEVICE constexpr int ZOrderColumn(int thread) {
  const int warp = thread / 32, lane = thread % 32;
  return warp % kZOrderWarpsX * 4 + (lane >> 3 & 1) * 2 + (lane & 1);
}

// A lane map has the first row and column of a thread's results in the tile. Four results begin there, and four more
// begin kNextFour later.
struct RowMajorLanes {
  static constexpr int kNextFour = 4;
  CULPRIT_HOST_DEVICE static constexpr int Row(int thread) { return thread / 16 * 8; }
  CULPRIT_HOST_DEVICE static constexpr int Column(int thread) { return thread % 16 * 8; }
};

struct ZOrderLanes {
  static constexpr int kNextFour = 4;
  CULPRIT_HOST_DEVICE static constexpr int Row(int thread) { return ZOrderRow(thread) * 8; }
  CULPRIT_HOST_DEVICE static constexpr int Column(int thread) { return ZOrderColumn(thread) * 8; }
};

// Four 4x4 pieces, one per 64x64 quadrant of the tile, so that neighbouring lanes load neighbouring fours of B.
struct QuadrantLanes {
  static constexpr int kNextFour = 64;
  CULPRIT_HOST_DEVICE static constexpr int Row(int thread) { return thread / 16 * 4; }
  CULPRIT_HOST_DEVICE static constexpr int Column(int thread) { return thread % 16 * 4; }
};

}  // namespace culprit
