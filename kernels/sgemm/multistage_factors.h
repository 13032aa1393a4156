// SPDX-License-Identifier: Apache-2.0
// The factors of stages that use a MultistageTile. The tile determines them.
#pragma once
#include <string>

#include "kernels/sgemm/ladder_factors.h"
#include "kernels/sgemm/multistage_tile.h"

namespace culprit {

template <class Tile>
LadderFactors MultistageFactors() {
  static_assert(Tile::kWalk == Walk::kRows || Tile::kWalk == Walk::kSnakeN,
                "no stage has another walk: give it a name");
  static_assert(Tile::kBuffers == 3 || Tile::kBuffers == 4, "no stage has as many buffers: give them a name");
  const auto n = [](int number) { return std::to_string(number); };
  return {.shared_memory = "A and B tiles",
          .copy_mapping = "x along rows",
          .block_tile = BlockTileText<Tile>(),
          .thread_tile = ThreadTileText<Tile>(),
          .load_width = "B and C 128 bit, A 32 bit",
          .a_tile_layout = "transposed, rows padded by " + n(Tile::kARow - Tile::kTileM) + " floats",
          .lane_map = "z-order",
          .loop_nest = Tile::kWalk == Walk::kRows ? "k->m->n" : "k->m->n, to and fro",
          .fragments = "registers, double-buffered",
          .unroll = "pragma",
          .shared_buffers = n(Tile::kBuffers) + ", one barrier a tile",
          .global_prefetch = std::string("cp.async, ") + (Tile::kBuffers == 3 ? "two" : "three") + " tiles ahead",
          .bounds_checks = "first tile in k, stores"};
}

}  // namespace culprit
