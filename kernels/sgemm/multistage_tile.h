// SPDX-License-Identifier: Apache-2.0
// Maps the threads of sgemm_async and its descendants to the elements of their tiles: kTileM x kTileK of A, transposed
// in shared memory, and kTileK x kTileN of B. Plain functions from thread to element, shared by the kernels and their
// declarations.
#pragma once
#include <vector>

#include "kernels/host_device.h"
#include "kernels/shared_access.h"

namespace culprit {

// The order in which a thread visits its results for one k. It decides which operand two successive FFMAs share.
enum class Walk {
  kRows,      // row by row, each from the left
  kSnakeN,    // row by row, every second one from the right: B's operand stays at a turn
  kSnakeM,    // column by column, every second one upwards: A's operand stays at a turn
  kSnakeTwo,  // two rows at a time: down, right, up, right, ...
};

// A warp's lanes form kLanesM rows and 32 / kLanesM columns, as in lane_map.h: lanes i and i^1 read the same of A,
// lanes i and i^2 the same of B. A thread's results are 4x4 pieces: four neighbours, then the next four behind those of
// the other lanes.
template <int kWarpsMOf, int kWarpsNOf, int kLanesMOf, int kThreadMOf, int kThreadNOf, int kTileKOf, int kBuffersOf,
          Walk kWalkOf>
struct MultistageTile {
  static constexpr int kWarpsM = kWarpsMOf, kWarpsN = kWarpsNOf, kThreads = 32 * kWarpsM * kWarpsN;
  static constexpr int kLanesM = kLanesMOf, kLanesN = 32 / kLanesM;
  static constexpr int kThreadM = kThreadMOf, kThreadN = kThreadNOf;
  static constexpr int kTileM = kWarpsM * kLanesM * kThreadM, kTileN = kWarpsN * kLanesN * kThreadN;
  static constexpr int kTileK = kTileKOf, kBuffers = kBuffersOf;
  static constexpr Walk kWalk = kWalkOf;
  static_assert(kLanesM == 8 || kLanesM == 4, "the lanes' map is made for 8x4 and 4x8");
  static_assert(kThreadM % 4 == 0 && kThreadN % 4 == 0, "fragments are loaded by fours");
  static_assert(kTileK % 8 == 0, "eight lanes copy eight neighbours of a row of A");
  static_assert(kBuffers >= 2, "one is copied into while another is read");

  // 4 floats of padding, so that eight lanes that store eight k of a row, for four such rows, use all 32 banks.
  static constexpr int kARow = kTileM + 4, kBRow = kTileN;  // floats from one k to the next
  static constexpr int kAFloats = kTileK * kARow, kBFloats = kTileK * kBRow, kFloats = kAFloats + kBFloats;
  static constexpr int kSharedBytes = 4 * kBuffers * kFloats;

  // A is copied one float at a time, because it is transposed: a warp copies 8 k of 4 rows.
  static constexpr int kAColumns = kTileK / 8;       // copies along k
  static constexpr int kARowsAtOnce = kThreads / 8;  // from one copy along m to the next
  static constexpr int kARounds = kTileM / kARowsAtOnce;
  static_assert(kARounds * kARowsAtOnce == kTileM, "each thread copies the same number of floats of A");
  CULPRIT_HOST_DEVICE static constexpr int ARow(int thread) { return thread / 8; }
  CULPRIT_HOST_DEVICE static constexpr int AColumn(int thread) { return thread % 8; }
  CULPRIT_HOST_DEVICE static constexpr int StoreA(int thread, int round, int column) {
    return (AColumn(thread) + 8 * column) * kARow + ARow(thread) + round * kARowsAtOnce;
  }

  // B is copied kWide floats (4 or 1) at a time.
  template <int kWide>
  struct CopyB {
    static constexpr int kPerRow = kTileN / kWide;
    static constexpr int kRounds = kTileK * kPerRow / kThreads;
    static_assert(kRounds * kThreads == kTileK * kPerRow, "each thread copies the same number of pieces of B");
    static constexpr int kRowsAtOnce = kThreads < kPerRow ? 1 : kThreads / kPerRow;
    static constexpr int kRoundsPerRow = kThreads < kPerRow ? kPerRow / kThreads : 1;
    CULPRIT_HOST_DEVICE static constexpr int Row(int thread) { return kRoundsPerRow > 1 ? 0 : thread / kPerRow; }
    CULPRIT_HOST_DEVICE static constexpr int Column(int thread) {
      return (kRoundsPerRow > 1 ? thread : thread % kPerRow) * kWide;
    }
    CULPRIT_HOST_DEVICE static constexpr int NextRow(int round) { return round / kRoundsPerRow * kRowsAtOnce; }
    CULPRIT_HOST_DEVICE static constexpr int NextColumn(int round) { return round % kRoundsPerRow * kThreads * kWide; }
    CULPRIT_HOST_DEVICE static constexpr int Store(int thread, int round) {
      return (Row(thread) + NextRow(round)) * kBRow + Column(thread) + NextColumn(round);
    }
  };

  // Bits 0 and 3 select columns, bits 1 and 4 rows; bit 2 extends the longer dimension.
  CULPRIT_HOST_DEVICE static constexpr int LaneRow(int lane) {
    return kLanesM == 8 ? (lane >> 1 & 3) | (lane >> 4 & 1) << 2 : (lane >> 1 & 1) | (lane >> 4 & 1) << 1;
  }
  CULPRIT_HOST_DEVICE static constexpr int LaneColumn(int lane) {
    return kLanesM == 8 ? (lane & 1) | (lane >> 3 & 1) << 1 : (lane & 1) | (lane >> 2 & 3) << 1;
  }
  // The first row and column of a thread's results, and the offsets of the r-th and c-th.
  CULPRIT_HOST_DEVICE static constexpr int Row(int thread) {
    return thread / 32 % kWarpsM * kLanesM * kThreadM + LaneRow(thread % 32) * 4;
  }
  CULPRIT_HOST_DEVICE static constexpr int Column(int thread) {
    return thread / 32 / kWarpsM * kLanesN * kThreadN + LaneColumn(thread % 32) * 4;
  }
  CULPRIT_HOST_DEVICE static constexpr int StepM(int r) { return r / 4 * 4 * kLanesM + r % 4; }
  CULPRIT_HOST_DEVICE static constexpr int StepN(int c) { return c / 4 * 4 * kLanesN + c % 4; }
};

// The first access of each kind; the others have the same bank pattern in other rows or rounds.
template <class Tile>
std::vector<SharedAccess> MultistageTileAccesses() {
  const SharedArray a{"A", Tile::kARow}, b{"B", Tile::kBRow};
  return {WarpAccess("store A", a, SharedOp::kStore, 1, [](int t) { return Tile::StoreA(t, 0, 0); }),
          WarpAccess("store B", b, SharedOp::kStore, 4, [](int t) { return Tile::template CopyB<4>::Store(t, 0); }),
          WarpAccess("load A", a, SharedOp::kLoad, 4, [](int t) { return Tile::Row(t); }),
          WarpAccess("load B", b, SharedOp::kLoad, 4, [](int t) { return Tile::Column(t); })};
}

}  // namespace culprit
