// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/occupancy_sweep.h"

#include <gtest/gtest.h>

#include <cmath>

namespace culprit {
namespace {

InterventionRecord With(int blocks, double us, std::optional<double> clock_mhz = 2000) {
  return {InterventionKind::kOccupancy, 1000.0 * (8 - blocks), blocks, 8 * blocks, us, us, us, clock_mhz, 5};
}

KernelRecord Swept(std::vector<InterventionRecord> interventions) {
  KernelRecord kernel;
  kernel.interventions = std::move(interventions);
  return kernel;
}

TEST(OccupancySweep, IsOfTheOwnNumberOfBlocks) {
  const OccupancySweep sweep(
      Swept({With(2, 300), With(8, 100), With(4, 150), {InterventionKind::kL2, 1, 8, 64, 999, 999, 999, {}, 5}}));
  ASSERT_EQ(sweep.points().size(), 3u);
  EXPECT_EQ(sweep.points()[0].warps, 64);
  EXPECT_DOUBLE_EQ(sweep.points()[1].slowdown, 1.5);
  EXPECT_DOUBLE_EQ(*sweep.SlowdownAt(64), 1);
  EXPECT_DOUBLE_EQ(*sweep.SlowdownAt(32), 1.5);
  EXPECT_DOUBLE_EQ(*sweep.SlowdownAt(16), 3);
  // Between 32 and 16 warps each halving doubles it.
  EXPECT_NEAR(*sweep.SlowdownAt(24), 1.5 * 32 / 24, 1e-12);
}

TEST(OccupancySweep, SaysNothingBeyondWhatWasTimed) {
  const OccupancySweep sweep(Swept({With(8, 100), With(4, 150)}));
  EXPECT_FALSE(sweep.SlowdownAt(65));
  EXPECT_FALSE(sweep.SlowdownAt(31));
  EXPECT_FALSE(OccupancySweep(Swept({})).SlowdownAt(8));
}

TEST(OccupancySweep, IsInCyclesWhereAllClocksAreKnown) {
  // The same cycles at half the clock.
  EXPECT_DOUBLE_EQ(*OccupancySweep(Swept({With(8, 100, 2000), With(4, 200, 1000)})).SlowdownAt(32), 1);
  EXPECT_DOUBLE_EQ(*OccupancySweep(Swept({With(8, 100, 2000), With(4, 200, std::nullopt)})).SlowdownAt(32), 2);
}

TEST(OccupancySweep, MoreWarpsHelpNoMoreThanTheLastOnesDid) {
  // Half of them: as 2 to the power of log2(1.5).
  EXPECT_NEAR(*OccupancySweep(Swept({With(8, 100), With(4, 150), With(1, 1200)})).MostSpeedupAt(128), 1.5, 1e-12);
  EXPECT_DOUBLE_EQ(*OccupancySweep(Swept({With(8, 100), With(4, 90)})).MostSpeedupAt(128), 1) << "no slowdown either";
  EXPECT_FALSE(OccupancySweep(Swept({With(1, 100)})).MostSpeedupAt(128)) << "nothing was taken away";
}

}  // namespace
}  // namespace culprit
