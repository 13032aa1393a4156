// SPDX-License-Identifier: Apache-2.0
// How a dispatcher stage chooses: by a table of what was the fastest stage at which shape. Nothing is guessed between
// its rows, the nearest is taken. script/best-table measures and writes such tables.
#pragma once
#include <span>
#include <string_view>

#include "kernels/stage.h"

namespace culprit {

struct MeasuredBest {
  GemmShape shape;
  const char* stage;
};

// The stage of the nearest row, in doublings of extents. A shape whose n is a multiple of `wide_n` counts as a doubling
// away from one whose n is not: they are accessed in other widths. Throws culprit::Error where the row names no stage.
const Stage& NearestBest(std::string_view dispatcher, std::span<const MeasuredBest> table, const GemmShape& shape,
                         int wide_n);

}  // namespace culprit
