// SPDX-License-Identifier: Apache-2.0
// Maps the threads of sgemm_smem and its two variants to the elements of their 32x32 tiles of A (m, k) and B (k, n).
// Plain functions of threadIdx, shared by the kernels and their declarations.
#pragma once
#include <vector>

#include "kernels/host_device.h"
#include "kernels/shared_access.h"

namespace culprit {

struct SquareTile {
  static constexpr int kTile = 32;

  CULPRIT_HOST_DEVICE static constexpr int Element(int row, int column) { return row * kTile + column; }
  CULPRIT_HOST_DEVICE static constexpr int Store(int x, int y) { return Element(y, x); }
  CULPRIT_HOST_DEVICE static constexpr int StoreSwapped(int x, int y) { return Store(y, x); }
  CULPRIT_HOST_DEVICE static constexpr int LoadA(int y, int i) { return Element(y, i); }
  CULPRIT_HOST_DEVICE static constexpr int LoadB(int x, int i) { return Element(i, x); }
};

// Each lane loads its own float of B. The whole warp loads the same float of A. If nvcc unrolls the loop, it loads four
// neighbours of A at once (13.0 on sm_90: 8 LDS.128 and 32 LDS per tile). This function declares these accesses.
inline std::vector<SharedAccess> SquareTileAccesses(int (*store)(int x, int y)) {
  constexpr int kTile = SquareTile::kTile;
  const SharedArray a{"A", kTile}, b{"B", kTile};
  const auto stored = [store](int thread) { return store(thread % kTile, thread / kTile); };
  return {WarpAccess("store A", a, SharedOp::kStore, 1, stored), WarpAccess("store B", b, SharedOp::kStore, 1, stored),
          WarpAccess("load A", a, SharedOp::kLoad, 4, [](int t) { return SquareTile::LoadA(t / kTile, 0); }),
          WarpAccess("load B", b, SharedOp::kLoad, 1, [](int t) { return SquareTile::LoadB(t % kTile, 0); })};
}

}  // namespace culprit
