// SPDX-License-Identifier: Apache-2.0
// Maps the 256 threads of sgemm_float4 and its descendants to the elements of their tiles: 128 x kTileK of A,
// transposed in shared memory, and kTileK x 128 of B. Plain functions from thread (0..255) to element, shared by the
// kernels and their declarations.
#pragma once
#include <vector>

#include "kernels/host_device.h"
#include "kernels/sgemm/lane_map.h"
#include "kernels/shared_access.h"

namespace culprit {

// kPadding: floats after each row of A's tile; multiples of 4 keep rows aligned to 16 bytes.
template <class LaneMap, int kTileKOf, int kPadding>
struct TransposedTile {
  using Lanes = LaneMap;
  static constexpr int kThreadsX = 16, kThreadsY = 16, kThreads = kThreadsX * kThreadsY;
  static constexpr int kThreadM = 8, kThreadN = 8;  // results per thread
  static constexpr int kTileM = kThreadsY * kThreadM, kTileN = kThreadsX * kThreadN, kTileK = kTileKOf;
  static constexpr int kRounds =
      kTileM * kTileK / (4 * kThreads);  // float4 of A, and of B, that a thread copies per tile
  static_assert(kTileM * kTileK == kRounds * 4 * kThreads && kTileK * kTileN == kRounds * 4 * kThreads,
                "each thread copies the same number of float4 of A as of B");
  static_assert(kPadding % 4 == 0, "a padded row must stay aligned to 16 bytes");
  static constexpr int kARow = kTileM + kPadding, kBRow = kTileN;  // floats from one k to the next
  static constexpr int kAFloats = kTileK * kARow, kBFloats = kTileK * kBRow;

  // The first element of the float4 that `thread` copies in `round`: A's lies along k, B's along n.
  CULPRIT_HOST_DEVICE static constexpr int ARow(int thread, int round) {
    return (round * kThreads + thread) * 4 / kTileK;
  }
  CULPRIT_HOST_DEVICE static constexpr int AColumn(int thread) { return thread * 4 % kTileK; }
  CULPRIT_HOST_DEVICE static constexpr int BRow(int thread, int round) {
    return (round * kThreads + thread) * 4 / kTileN;
  }
  CULPRIT_HOST_DEVICE static constexpr int BColumn(int thread) { return thread * 4 % kTileN; }

  // Transposing stores the four floats of A separately; i is 0..3.
  CULPRIT_HOST_DEVICE static constexpr int StoreA(int thread, int round, int i) {
    return (AColumn(thread) + i) * kARow + ARow(thread, round);
  }
  CULPRIT_HOST_DEVICE static constexpr int StoreB(int thread, int round) {
    return BRow(thread, round) * kBRow + BColumn(thread);
  }
  // The offset of a thread's r-th row, or column, of 8 from its first.
  CULPRIT_HOST_DEVICE static constexpr int Step(int r) { return r / 4 * Lanes::kNextFour + r % 4; }
  // Fragments load four at a time: r and c are 0 or 4. The kernels keep LoadA(thread, 0, 0) and add the steps, which
  // are constants there.
  CULPRIT_HOST_DEVICE static constexpr int StepA(int i, int r) { return i * kARow + Step(r); }
  CULPRIT_HOST_DEVICE static constexpr int StepB(int i, int c) { return i * kBRow + Step(c); }
  CULPRIT_HOST_DEVICE static constexpr int LoadA(int thread, int i, int r) { return Lanes::Row(thread) + StepA(i, r); }
  CULPRIT_HOST_DEVICE static constexpr int LoadB(int thread, int i, int c) {
    return Lanes::Column(thread) + StepB(i, c);
  }
};

// The first access of each kind; the others have the same bank pattern in other rows or rounds.
template <class Tile>
std::vector<SharedAccess> TransposedTileAccesses() {
  const SharedArray a{"A", Tile::kARow}, b{"B", Tile::kBRow};
  return {WarpAccess("store A", a, SharedOp::kStore, 1, [](int t) { return Tile::StoreA(t, 0, 0); }),
          WarpAccess("store B", b, SharedOp::kStore, 4, [](int t) { return Tile::StoreB(t, 0); }),
          WarpAccess("load A", a, SharedOp::kLoad, 4, [](int t) { return Tile::LoadA(t, 0, 0); }),
          WarpAccess("load B", b, SharedOp::kLoad, 4, [](int t) { return Tile::LoadB(t, 0, 0); })};
}

}  // namespace culprit
