// SPDX-License-Identifier: Apache-2.0
// How a dispatcher of stages with large tiles chooses: by what each of them took at measured shapes, scaled to the work
// that its own tiles make of the shape asked for. The fastest stage of the nearest shape is no guide there: one tile
// more than fills a wave is a wave more, and each stage has other tiles. script/best-table measures and writes such
// tables.
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
  std::array<float, kMostTiledStages> us;  // of each stage, in their order
};

// Steps of k of 64 that the busiest of `multiprocessors` SMs makes, and as many as beginning and end of a kernel are
// worth.
double StepsOfBusiest(const TiledStage& stage, const GemmShape& shape, int multiprocessors);

// The stage of the least expected time: what it took at the nearest row, in doublings of extents, times the ratio of
// the two shapes' steps. Rows of A and B that are whole lines of 128 bytes and such that are not count as two doublings
// apart, since the TMA fetches the latter by two lines. Throws culprit::Error where the table has no row, or names no
// stage.
const Stage& LeastExpected(std::string_view dispatcher, std::span<const TiledStage> stages,
                           std::span<const MeasuredTimes> table, const GemmShape& shape, int multiprocessors);

}  // namespace culprit
