// SPDX-License-Identifier: Apache-2.0
#include "kernels/sgemm/v_study_stage.h"

#include "kernels/launch.h"
#include "kernels/sgemm/v_study_map.h"
#include "kernels/shared_access.h"

namespace culprit {

using namespace v_study;

namespace {

SharedArray TileA(int padding) { return {"A", kTileK + padding}; }
SharedArray TileB(int padding) { return {"B", kTileN + padding}; }

int Element(const SharedArray& array, Place place) { return place.row * array.row_elements + place.column; }

}  // namespace

Factors VStudyFactors(const VStudyRow& row) {
  return {{"thread-level gmem<->smem", row.move},
          {"unroll", row.unroll},
          {"loop nest", row.nest},
          {"bank conflict handling", row.bank_conflicts},
          {"volatile smem", row.volatile_smem},
          {"intermediate results", row.sums},
          {"task split", row.task_split}};
}

LaunchConfig VStudyConfig(const GemmShape& s) {
  return {dim3(Tiles(s.n, kTileN), Tiles(s.m, kTileM)), dim3(kThreadsX, kThreadsY), 0};
}

std::vector<SharedAccess> VStudyFloat4Stores() {
  const SharedArray a = TileA(0), b = TileB(0);
  return {WarpAccess("store A", a, SharedOp::kStore, 4,
                     [&](int thread) { return Element(a, FirstOfFour(thread, kTileK)); }),
          WarpAccess("store B", b, SharedOp::kStore, 4,
                     [&](int thread) { return Element(b, FirstOfFour(thread, kTileN)); })};
}

std::vector<SharedAccess> VStudySingleFloatStores(int padding) {
  const SharedArray a = TileA(padding), b = TileB(padding);
  return {WarpAccess("store A", a, SharedOp::kStore, 1,
                     [&](int thread) { return Element(a, SingleFloat(thread, 0, kTileK)); }),
          WarpAccess("store B", b, SharedOp::kStore, 1,
                     [&](int thread) { return Element(b, SingleFloat(thread, 0, kTileN)); })};
}

std::vector<SharedAccess> VStudyVolatileAccesses() {
  std::vector<SharedAccess> accesses = VStudySingleFloatStores();
  const SharedArray a = TileA(0), b = TileB(0);
  accesses.push_back(WarpAccess("load A", a, SharedOp::kLoad, 1, [&](int thread) {
    return Element(a, {static_cast<int>(FirstRow(thread / kThreadsX)), 0});
  }));
  accesses.push_back(WarpAccess("load B", b, SharedOp::kLoad, 1, [&](int thread) {
    return Element(b, {0, static_cast<int>(FirstColumn(thread % kThreadsX))});
  }));
  return accesses;
}

std::vector<SharedAccess> VStudySumsInShared() {
  std::vector<SharedAccess> accesses = VStudySingleFloatStores();
  const SharedArray sums{"r_c", kThreads};
  // The compiler combines loads of A and B as it likes, so none is stated.
  accesses.push_back(
      WarpAccess("store r_c", sums, SharedOp::kStore, 1, [](int thread) { return SumInShared(thread, 0, 0); }));
  return accesses;
}

}  // namespace culprit
