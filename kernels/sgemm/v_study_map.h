// SPDX-License-Identifier: Apache-2.0
// Maps the threads of the V-study to the tile elements that they move and the results that they compute. The kernels
// index with these functions, and the stages' shared accesses are computed from them.
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

// For a block that moves kThreads neighbouring floats per round.
CULPRIT_HOST_DEVICE constexpr Place SingleFloat(int thread, int round, int columns) {
  return PlaceOf(thread + round * kThreads, columns);
}

// For a thread that moves 4 neighbouring floats.
CULPRIT_HOST_DEVICE constexpr Place FirstOfFour(int thread, int columns) { return PlaceOf(thread * 4, columns); }

// The first of a thread's 8 rows and 8 columns in the tile of C, by threadIdx.
CULPRIT_HOST_DEVICE constexpr unsigned FirstRow(unsigned thread_y) { return thread_y * kThreadM; }
CULPRIT_HOST_DEVICE constexpr unsigned FirstColumn(unsigned thread_x) { return thread_x * kThreadN; }

// Sum (i, j) of a thread when the sums are in shared memory: 64 rows of one float per thread.
CULPRIT_HOST_DEVICE constexpr int SumInShared(int thread, int i, int j) {
  return (i * kThreadN + j) * kThreads + thread;
}

}  // namespace culprit::v_study
