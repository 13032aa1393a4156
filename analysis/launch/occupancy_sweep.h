// SPDX-License-Identifier: Apache-2.0
// Measured times of a kernel with fewer resident blocks per SM (db/records.h, kOccupancy).
#pragma once
#include <optional>
#include <vector>

#include "db/database.h"

namespace culprit {

struct SweepPoint {
  int blocks = 0, warps = 0;  // resident per SM
  double slowdown = 1;        // cycles / cycles with all blocks; a ratio of times when a clock is missing
};

class OccupancySweep {
 public:
  // Most blocks first; the first point has slowdown 1. Empty: no sweep was made.
  explicit OccupancySweep(const KernelRecord& kernel);

  const std::vector<SweepPoint>& points() const { return points_; }
  // The slow-down with `warps` warps, by a power law between neighbouring points; none outside the sweep.
  std::optional<double> SlowdownAt(double warps) const;
  // Upper bound of the speed-up with `warps` warps, more than the kernel has now. It continues the power law of the
  // first step of fewer warps, because adding warps gains less than removing them loses. None when only one block fits.
  std::optional<double> MostSpeedupAt(double warps) const;

 private:
  std::vector<SweepPoint> points_;
};

}  // namespace culprit
