// SPDX-License-Identifier: Apache-2.0
// The factors in which stages of the ladder differ. Every stage states all of them.
#pragma once
#include <string>

#include "kernels/stage.h"

namespace culprit {

// The defaults are sgemm_naive's.
struct LadderFactors {
  std::string thread_mapping = "x along n";
  std::string block_mapping = "x along n";  // how blockIdx.x moves over C
  std::string shared_memory = "none";
  std::string copy_mapping = "-";  // how threadIdx.x moves when tiles are copied to shared memory
  std::string block_tile = "32x32";
  std::string thread_tile = "1x1";
  std::string load_width = "32 bit";  // of accesses in the source; the compiler may widen shared-memory accesses
  std::string a_tile_layout = "-";
  std::string lane_map = "row-major";
  std::string loop_nest = "k";
  std::string fragments = "none";  // whether the source copies operands from shared memory to registers before use
  std::string unroll = "no pragma";
  std::string shared_buffers = "-";
  std::string global_prefetch = "none";
  std::string k_split = "none";  // which blocks share a tile of C
  std::string bounds_checks = "yes";

  Factors Named() const {
    return {{"thread mapping", thread_mapping},
            {"block mapping", block_mapping},
            {"shared memory", shared_memory},
            {"copy mapping", copy_mapping},
            {"block tile", block_tile},
            {"thread tile", thread_tile},
            {"load width", load_width},
            {"A tile layout", a_tile_layout},
            {"lane map", lane_map},
            {"loop nest", loop_nest},
            {"fragments", fragments},
            {"unroll", unroll},
            {"shared buffers", shared_buffers},
            {"global prefetch", global_prefetch},
            {"split of k", k_split},
            {"bounds checks", bounds_checks}};
  }
};

// "128x128x8": the rows, columns and k of a block's tile.
template <class Tile>
std::string BlockTileText() {
  return std::to_string(Tile::kTileM) + "x" + std::to_string(Tile::kTileN) + "x" + std::to_string(Tile::kTileK);
}
// "8x8": the results of a thread.
template <class Tile>
std::string ThreadTileText() {
  return std::to_string(Tile::kThreadM) + "x" + std::to_string(Tile::kThreadN);
}

}  // namespace culprit
