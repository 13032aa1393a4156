// SPDX-License-Identifier: Apache-2.0
#include "kernels/hgemm/hgemm_best_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace culprit {
namespace {

using ::testing::IsEmpty;

TEST(HgemmBestTable, NamesStagesThatTakeWhatHgemmBestTakes) {
  const Stage* const best = FindStage("hgemm_best");
  ASSERT_NE(best, nullptr);
  for (const MeasuredBest& row : kMeasuredBestHgemm) {
    const Stage* const stage = FindStage(row.stage);
    ASSERT_NE(stage, nullptr) << row.stage;
    EXPECT_EQ(Describe(stage->constraint), Describe(best->constraint)) << row.stage;
    EXPECT_EQ(ElementOf(*stage), ElementType::kHalf) << row.stage;
    EXPECT_THAT(DeviceRefusal(*stage, best->device.least), IsEmpty()) << row.stage;
    EXPECT_NE(stage, best) << "it would launch itself for ever";
    EXPECT_THAT(Refusal(*best, row.shape), IsEmpty()) << "a shape that was never measured";
  }
}

TEST(HgemmBestTable, ChoosesByShape) {
  std::set<std::string> chosen;
  for (const MeasuredBest& row : kMeasuredBestHgemm) chosen.insert(row.stage);
  EXPECT_GT(chosen.size(), 1u);
}

}  // namespace
}  // namespace culprit
