// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/looks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/judge/difference/shift.h"

namespace culprit {

std::optional<Shift> LookSpending::Look(std::span<const double> base, std::span<const double> candidate, bool last) {
  const auto n = static_cast<long>(base.size()), m = static_cast<long>(candidate.size());
  const double t = last ? 1 : std::min(1.0, static_cast<double>(std::min(n, m)) / most_);
  const double may_use = rate_ * std::log1p((std::numbers::e - 1) * t) - used_;
  if (!(may_use > 0)) return std::nullopt;
  const long bound = BoundingRatio(n, m, 1 - may_use);
  if (bound == 0) return std::nullopt;
  used_ += std::min(may_use, LevelOf(n, m, bound));
  return EstimateShift(base, candidate, 1 - may_use);
}

int NextLook(int values, int most) { return std::min(most, values + std::max(1, values / 2)); }

int LeastForLooks(double rate) {
  int values = 2;
  while (BoundingRatio(values, values, 1 - rate) == 0) ++values;
  return values;
}

}  // namespace culprit
