// SPDX-License-Identifier: Apache-2.0
// Common parts of the half-precision stages' descriptions.
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

// The factors in which half-precision stages differ; the defaults are those of mma.sync stages.
struct HgemmChoice {
  const char* block_tile = "128x256x32";
  const char* warp_tile = "64x64";
  const char* api = kMmaApi;
  const char* padding = "none";
  const char* permutation = "none";
  const char* copies = "128 bit through registers";
  const char* buffers = "1";
  const char* copied_by = "warps that multiply";
  const char* blocks = "one for each tile";
  const char* order = "row after row";
  const char* cluster = "none";
  const char* c_stores = "from registers";
  const char* c_waits = "the next tile";
};

inline Factors HgemmFactors(const HgemmChoice& c) {
  return {{"input", "fp16"},
          {"accumulator", "fp32"},
          {"block tile", c.block_tile},
          {"warp tile", c.warp_tile},
          {"matrix API", c.api},
          {"smem padding", c.padding},
          {"smem permutation", c.permutation},
          {"gmem->smem", c.copies},
          {"tiles on their way", c.buffers},
          {"copied by", c.copied_by},
          {"blocks", c.blocks},
          {"tile order", c.order},
          {"cluster", c.cluster},
          {"C stores", c.c_stores},
          {"waits for C's stores", c.c_waits}};
}

// Every mma.sync stage copies as ACopied and BCopied say and loads fragments with ldmatrix.x4 as ALoaded and BLoaded
// say. So do the WMMA stages: PTX does not specify which lane reads what of a fragment, but in the machine code of CUDA
// 13.0 for sm_90 each load is one LDSM.x4 in which lane l addresses chunk l / 16 of row l % 16.
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
