// SPDX-License-Identifier: Apache-2.0
// What the half-precision stages say of themselves.
#pragma once
#include <string>
#include <vector>

#include "kernels/hgemm/block_tile.h"
#include "kernels/launch.h"
#include "kernels/shared_access.h"
#include "kernels/stage.h"

namespace culprit {

inline constexpr ShapeConstraint kHgemmShapes{kHgemmTileM, kHgemmTileN, kHgemmTileK};

inline LaunchConfig HgemmConfig(const GemmShape& s) {
  return {dim3(Tiles(s.n, kHgemmTileN), Tiles(s.m, kHgemmTileM)), dim3(kHgemmThreads), 0};
}

inline constexpr const char* kMmaApi = "mma.sync m16n8k16 with ldmatrix";

inline Factors HgemmFactors(const char* api, const char* padding, const char* permutation) {
  return {{"input", "fp16"},
          {"accumulator", "fp32"},
          {"block tile", "128x256x32"},
          {"warp tile", "64x64"},
          {"matrix API", api},
          {"smem padding", padding},
          {"smem permutation", permutation},
          {"gmem->smem", "128 bit through registers"}};
}

// Every stage copies as ACopied and BCopied say, and loads fragments with ldmatrix.x4 as ALoaded and BLoaded say. The
// WMMA stages too: PTX leaves open which lane reads what of a WMMA fragment, but in the machine code that CUDA 13.0
// makes for sm_90 each load is one LDSM.x4 in which lane l names chunk l / 16 of row l % 16.
template <class Layout>
std::vector<SharedAccess> HgemmSharedAccesses() {
  const auto access = [](const char* name, SharedOp op, char matrix, auto chunk) {
    const bool is_a = matrix == 'A';
    const SharedArray array{std::string(1, matrix), is_a ? Layout::kARow : Layout::kBRow, 2};
    return WarpAccess(name, array, op, kChunkHalves, [=](int thread) {
      const TileChunk at = chunk(thread);
      return is_a ? Layout::A(at.row, at.chunk) : Layout::B(at.row, at.chunk);
    });
  };
  return {access("store A", SharedOp::kStore, 'A', [](int thread) { return ACopied(thread, 0); }),
          access("store B", SharedOp::kStore, 'B', [](int thread) { return BCopied(thread, 0); }),
          access("ldmatrix A", SharedOp::kLoadMatrix, 'A', [](int thread) { return ALoaded(thread, 0, 0); }),
          access("ldmatrix B", SharedOp::kLoadMatrix, 'B', [](int thread) { return BLoaded(thread, 0, 0); })};
}

}  // namespace culprit
