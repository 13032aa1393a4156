// SPDX-License-Identifier: Apache-2.0
// Where the threads of sgemm_smem and of its two variants touch their 32x32 tiles of A (m, k) and B (k, n): plain
// functions from (threadIdx.x, threadIdx.y) to an element, which the kernels and their declarations share.
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

// Of B each lane loads a float of its own. Of A the whole warp loads the same float: where nvcc unrolls the loop, it
// fetches four neighbours at once (13.0 on sm_90: 8 LDS.128 and 32 LDS a tile), and that is what is said here.
inline std::vector<SharedAccess> SquareTileAccesses(int (*store)(int x, int y)) {
  constexpr int kTile = SquareTile::kTile;
  const SharedArray a{"A", kTile}, b{"B", kTile};
  const auto stored = [store](int thread) { return store(thread % kTile, thread / kTile); };
  return {WarpAccess("store A", a, SharedOp::kStore, 1, stored), WarpAccess("store B", b, SharedOp::kStore, 1, stored),
          WarpAccess("load A", a, SharedOp::kLoad, 4, [](int t) { return SquareTile::LoadA(t / kTile, 0); }),
          WarpAccess("load B", b, SharedOp::kLoad, 1, [](int t) { return SquareTile::LoadB(t % kTile, 0); })};
}

}  // namespace culprit
