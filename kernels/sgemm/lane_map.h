// SPDX-License-Identifier: Apache-2.0
// Which 8x8 results of a 128x128 tile of C each of 256 threads computes. Plain functions, so that a test on the host
// counts the bank conflicts of the loads that follow from them.
//
// Z-order: a warp is 8 rows x 4 columns of threads; its rows come from lane bits 1, 2 and 4, its columns from bits 0
// and 3:
//     0  1  8  9
//     2  3 10 11
//     4  5 12 13
//     6  7 14 15
//    16 17 24 25  ...
// Why these bits: the hardware serves the two quarters of a half warp's 128-bit load in one wavefront when each lane i
// reads what lane i^1 reads (A here), or each what lane i^2 reads (B), and no bank is asked for two addresses.
#pragma once
#include "kernels/host_device.h"

namespace culprit {

inline constexpr int kZOrderWarpsX = 4;  // 2 x 4 warps of 64 x 32 results cover 128 x 128

// `thread` counts 0..255 within the block; the result counts pieces of 8 rows, 0..15.
CULPRIT_HOST_DEVICE constexpr int ZOrderRow(int thread) {
  const int warp = thread / 32, lane = thread % 32;
  return warp / kZOrderWarpsX * 8 + (lane >> 4 & 1) * 4 + (lane >> 1 & 3);
}

// The result counts pieces of 8 columns, 0..15.
CULPRIT_HOST_DEVICE constexpr int ZOrderColumn(int thread) {
  const int warp = thread / 32, lane = thread % 32;
  return warp % kZOrderWarpsX * 4 + (lane >> 3 & 1) * 2 + (lane & 1);
}

// A lane map says with which row and column of the tile a thread's results begin: four of each there, and four more
// kNextFour further.
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

// Four 4x4 pieces, one in each 64x64 quadrant of the tile: neighbouring lanes then load neighbouring fours of B.
struct QuadrantLanes {
  static constexpr int kNextFour = 64;
  CULPRIT_HOST_DEVICE static constexpr int Row(int thread) { return thread / 16 * 4; }
  CULPRIT_HOST_DEVICE static constexpr int Column(int thread) { return thread % 16 * 4; }
};

}  // namespace culprit
