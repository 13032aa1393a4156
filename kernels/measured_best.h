// SPDX-License-Identifier: Apache-2.0
// A dispatcher stage chooses the fastest stage from a table of measured shapes. It takes the nearest row and does not
// interpolate. script/best-table measures and writes such tables.
#pragma once
#include <span>
#include <string_view>

#include "kernels/stage.h"

namespace culprit {

struct MeasuredBest {
  GemmShape shape;
  const char* stage;
};

// The stage of the nearest row. The distance of two shapes is the number of doublings of their extents. It is one
// larger if only one of them has an n that is a multiple of `wide_n`, because the access widths then differ. Throws
// culprit::Error if the row names no stage.
const Stage& NearestBest(std::string_view dispatcher, std::span<const MeasuredBest> table, const GemmShape& shape,
                         int wide_n);

}  // namespace culprit
