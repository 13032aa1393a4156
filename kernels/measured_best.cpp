// SPDX-License-Identifier: Apache-2.0
#include "kernels/measured_best.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "db/error.h"

namespace culprit {
namespace {

double Doublings(int x, int y) { return std::fabs(std::log2(static_cast<double>(std::max(x, 1)) / std::max(y, 1))); }

double Distance(const GemmShape& shape, const GemmShape& row, int wide_n) {
  const double width = (shape.n % wide_n == 0) == (row.n % wide_n == 0) ? 0 : 1;
  return width + Doublings(shape.m, row.m) + Doublings(shape.n, row.n) + Doublings(shape.k, row.k);
}

}  // namespace

const Stage& NearestBest(std::string_view dispatcher, std::span<const MeasuredBest> table, const GemmShape& shape,
                         int wide_n) {
  double least = std::numeric_limits<double>::infinity();
  const char* nearest = "";
  for (const MeasuredBest& row : table) {
    const double distance = Distance(shape, row.shape, wide_n);
    if (distance < least) {
      least = distance;
      nearest = row.stage;
    }
  }
  const Stage* const stage = FindStage(nearest);
  if (stage == nullptr) throw Error(std::string(dispatcher) + "'s table names no stage: '" + nearest + "'");
  return *stage;
}

}  // namespace culprit
