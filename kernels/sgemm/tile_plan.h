// SPDX-License-Identifier: Apache-2.0
// Assigns tiles of C and steps of k to persistent blocks.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/host_device.h"

namespace culprit {

// The steps of k of the first `shared` tiles are divided evenly among all blocks. Each of the other tiles goes whole to
// one block.
struct TilePlan {
  int rows = 0, columns = 0, steps = 0, blocks = 0, shared = 0;
  CULPRIT_HOST_DEVICE constexpr int Tiles() const { return rows * columns; }
  // The first step of `block` among all steps of shared tiles. FirstStep(block + 1) is its end.
  CULPRIT_HOST_DEVICE constexpr int FirstStep(int block) const {
    return static_cast<int>(static_cast<std::int64_t>(shared) * steps * block / blocks);
  }
};

// `blocks`: as many as run at once. Full waves of tiles go whole, except the last. That wave and the rest are shared,
// so that no block gets less than half a tile. With less than a wave, blocks get at least `least_steps`.
inline TilePlan PlanTiles(int rows, int columns, int steps, int blocks, int least_steps) {
  TilePlan plan{rows, columns, steps, blocks, 0};
  const int tiles = plan.Tiles();
  if (tiles < blocks && steps < 2 * least_steps) {
    plan.blocks = tiles;
  } else if (tiles < blocks) {
    plan.blocks = static_cast<int>(std::clamp<std::int64_t>(std::int64_t{tiles} * steps / least_steps, tiles, blocks));
    plan.shared = plan.blocks == tiles ? 0 : tiles;
  } else if (tiles % blocks != 0 && steps > 0) {
    plan.shared = tiles % blocks + blocks;
  }
  return plan;
}

// The consecutive blocks that share one of the first `shared` tiles.
struct TileSharers {
  int first = 0, count = 0;
  bool operator==(const TileSharers&) const = default;
};
CULPRIT_HOST_DEVICE constexpr TileSharers SharersOf(const TilePlan& plan, int tile) {
  const std::int64_t all = static_cast<std::int64_t>(plan.shared) * plan.steps;
  const std::int64_t first = static_cast<std::int64_t>(tile) * plan.steps, last = first + plan.steps - 1;
  const int block = static_cast<int>(((first + 1) * plan.blocks - 1) / all);
  return {block, static_cast<int>(((last + 1) * plan.blocks - 1) / all) - block + 1};
}

}  // namespace culprit
