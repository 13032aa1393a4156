// SPDX-License-Identifier: Apache-2.0
// A dispatcher of stages with large tiles chooses by estimated time. The estimate is the stage's time at a measured
// shape, scaled to the work of its tiles at the requested shape. The fastest stage at the nearest shape would often be
// wrong: tile sizes differ, and one tile beyond a full wave costs a whole wave. script/best-table measures and writes
// such tables.
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "kernels/stage.h"

namespace culprit {

struct TiledStage {
  const char* stage;
  int tile_m, tile_n;
};

inline constexpr int kMostTiledStages = 8;

struct MeasuredTimes {
  GemmShape shape;
  std::array<float, kMostTiledStages> us;  // of each stage, in order
};

// The steps of 64 k on the busiest of `multiprocessors` SMs, plus a number of steps for the kernel's start and end.
double StepsOfBusiest(const TiledStage& stage, const GemmShape& shape, int multiprocessors);

// The stage with the lowest estimate, which is its time at the nearest row times the ratio of the two shapes' steps.
// The distance of two shapes is the number of doublings of their extents. It is two larger if only one of them has rows
// of A and B of whole 128-byte lines, because the TMA fetches unaligned rows as two lines. Throws culprit::Error if the
// table is empty or names no stage.
const Stage& LeastExpected(std::string_view dispatcher, std::span<const TiledStage> stages,
                           std::span<const MeasuredTimes> table, const GemmShape& shape, int multiprocessors);

}  // namespace culprit
