// SPDX-License-Identifier: Apache-2.0
// Which elements of its tiles a thread of the V-study moves, and which results it computes. Plain functions: the
// kernels index by them, and what the stages say of their shared accesses is computed from them.
#pragma once
#include "kernels/host_device.h"

namespace culprit::v_study {

inline constexpr int kTileM = 128, kTileN = 128, kTileK = 8;
inline constexpr int kThreadM = 8, kThreadN = 8;  // results per thread
inline constexpr int kThreadsX = kTileN / kThreadN, kThreadsY = kTileM / kThreadM;
inline constexpr int kThreads = kThreadsX * kThreadsY;

struct Place {
  int row, column;
};

// Element `e` of a tile with rows of `columns` elements.
CULPRIT_HOST_DEVICE constexpr Place PlaceOf(int e, int columns) { return {e / columns, e % columns}; }

// When the block moves kThreads neighbouring floats a round.
CULPRIT_HOST_DEVICE constexpr Place SingleFloat(int thread, int round, int columns) {
  return PlaceOf(thread + round * kThreads, columns);
}

// When a thread moves 4 neighbouring floats.
CULPRIT_HOST_DEVICE constexpr Place FirstOfFour(int thread, int columns) { return PlaceOf(thread * 4, columns); }

// The first of a thread's 8 rows and 8 columns within the tile of C, by threadIdx.
CULPRIT_HOST_DEVICE constexpr unsigned FirstRow(unsigned thread_y) { return thread_y * kThreadM; }
CULPRIT_HOST_DEVICE constexpr unsigned FirstColumn(unsigned thread_x) { return thread_x * kThreadN; }

// Sum (i, j) of a thread when the block's sums lie in shared memory: 64 rows of one float per thread.
CULPRIT_HOST_DEVICE constexpr int SumInShared(int thread, int i, int j) {
  return (i * kThreadN + j) * kThreads + thread;
}

}  // namespace culprit::v_study
