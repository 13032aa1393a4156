// SPDX-License-Identifier: Apache-2.0
// Maps the threads of sgemm_tile_1d, sgemm_tile_2d and their variants to the elements of A's tile (m, k) and B's tile
// (k, n) that they access, one float at a time. Plain functions of threadIdx, shared by kernels and declarations.
#pragma once
#include <vector>

#include "kernels/host_device.h"
#include "kernels/shared_access.h"

namespace culprit {

// 16x16 threads with kThreadMOf x kThreadNOf results each.
template <int kThreadMOf, int kThreadNOf>
struct ScalarTile {
  static constexpr int kThreadsX = 16, kThreadsY = 16;
  static constexpr int kThreadM = kThreadMOf, kThreadN = kThreadNOf;
  static constexpr int kTileM = kThreadsY * kThreadM, kTileN = kThreadsX * kThreadN, kTileK = 16;
  static_assert(kTileK == kThreadsX && kTileK == kThreadsY,
                "a tile's K extent is copied by one row and one column of threads");

  CULPRIT_HOST_DEVICE static constexpr int Row(int y, int r) { return y * kThreadM + r; }
  CULPRIT_HOST_DEVICE static constexpr int Column(int x, int c) { return x * kThreadN + c; }
  CULPRIT_HOST_DEVICE static constexpr int A(int row, int k) { return row * kTileK + k; }
  CULPRIT_HOST_DEVICE static constexpr int B(int k, int column) { return k * kTileN + column; }
};

// The source loads single floats; the compiler may combine neighbours. load_a_floats and load_b_floats say what nvcc
// 13.0 generates for sm_90.
template <class Tile>
std::vector<SharedAccess> ScalarTileAccesses(int load_a_floats, int load_b_floats) {
  const SharedArray a{"A", Tile::kTileK}, b{"B", Tile::kTileN};
  const auto x = [](int thread) { return thread % Tile::kThreadsX; };
  const auto y = [](int thread) { return thread / Tile::kThreadsX; };
  const auto load_a = [=](int t) { return Tile::A(Tile::Row(y(t), 0), 0); };
  const auto load_b = [=](int t) { return Tile::B(0, Tile::Column(x(t), 0)); };
  return {WarpAccess("store A", a, SharedOp::kStore, 1, [=](int t) { return Tile::A(Tile::Row(y(t), 0), x(t)); }),
          WarpAccess("store B", b, SharedOp::kStore, 1, [=](int t) { return Tile::B(y(t), Tile::Column(x(t), 0)); }),
          WarpAccess("load A", a, SharedOp::kLoad, load_a_floats, load_a),
          WarpAccess("load B", b, SharedOp::kLoad, load_b_floats, load_b)};
}

}  // namespace culprit
