// SPDX-License-Identifier: Apache-2.0
#include "kernels/sgemm/sgemm_best_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::IsEmpty;

TEST(SgemmBestTable, NamesStagesThatTakeAnySizeAndRunWhereSgemmBestDoes) {
  const Stage* const best = FindStage("sgemm_best");
  ASSERT_NE(best, nullptr);
  for (const MeasuredBest& row : kMeasuredBestSgemm) {
    const Stage* const stage = FindStage(row.stage);
    ASSERT_NE(stage, nullptr) << row.stage;
    EXPECT_EQ(Describe(stage->constraint), "any size") << row.stage;
    EXPECT_EQ(ElementOf(*stage), ElementType::kFloat) << row.stage;
    EXPECT_THAT(DeviceRefusal(*stage, best->device.least), IsEmpty()) << row.stage;
    EXPECT_NE(stage, best) << "it would launch itself for ever";
  }
}

TEST(SgemmBestTable, HasShapesOfBothAlignments) {
  bool wide = false, narrow = false;
  for (const MeasuredBest& row : kMeasuredBestSgemm) (row.shape.n % 4 == 0 ? wide : narrow) = true;
  EXPECT_TRUE(wide && narrow);
}

}  // namespace
}  // namespace culprit
