// SPDX-License-Identifier: Apache-2.0
// What a kernel takes with fewer of its blocks on an SM, as it was measured (db/records.h, kOccupancy).
#pragma once
#include <optional>
#include <vector>

#include "db/database.h"

namespace culprit {

struct SweepPoint {
  int blocks = 0, warps = 0;  // resident on an SM
  double slowdown = 1;        // cycles over those with all of them; times where a clock is missing
};

class OccupancySweep {
 public:
  // The most blocks first; that point has slowdown 1. Empty: no sweep was made.
  explicit OccupancySweep(const KernelRecord& kernel);

  const std::vector<SweepPoint>& points() const { return points_; }
  // At any number of warps between the most and the fewest, by a power law between neighbours; none beyond them.
  std::optional<double> SlowdownAt(double warps) const;
  // The most that `warps`, more than it has, can speed it up: what the kernel loses with a little fewer, it would lose
  // less of with a little more. None where one block is all that fits.
  std::optional<double> MostSpeedupAt(double warps) const;

 private:
  std::vector<SweepPoint> points_;
};

}  // namespace culprit
