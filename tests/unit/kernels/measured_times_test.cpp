// SPDX-License-Identifier: Apache-2.0
#include "kernels/measured_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "db/error.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

// 64x64 and 128x128 tiles on 4 SMs.
constexpr TiledStage kStages[] = {{"sgemm_naive", 64, 64}, {"sgemm_smem", 128, 128}};
constexpr MeasuredTimes kTable[] = {{{256, 256, 512}, {6, 4}}, {{260, 260, 520}, {3, 9}}};

TEST(StepsOfBusiest, CountsWholeWaves) {
  EXPECT_EQ(StepsOfBusiest(kStages[1], {256, 256, 512}, 4), 8 + 8);
  EXPECT_EQ(StepsOfBusiest(kStages[1], {257, 256, 512}, 4), 2 * 8 + 8) << "two tiles more than SMs";
  EXPECT_EQ(StepsOfBusiest(kStages[0], {256, 256, 513}, 4), 4 * 9 + 8);
  EXPECT_EQ(StepsOfBusiest(kStages[0], {256, 256, 0}, 4), 8) << "beginning and end alone";
}

TEST(LeastExpected, TakesTheFastestOfAMeasuredShape) {
  EXPECT_EQ(LeastExpected("best", kStages, kTable, {256, 256, 512}, 4).id, "sgemm_smem");
  EXPECT_EQ(LeastExpected("best", kStages, kTable, {260, 260, 520}, 4).id, "sgemm_naive");
}

TEST(LeastExpected, ScalesByTheWavesOfEachStagesTiles) {
  // 6 tiles of 128x128 are a wave more than 4, and 20 of 64x64 only one more than 16: 6 * 48 / 40 against 4 * 24 / 16.
  EXPECT_EQ(LeastExpected("best", kStages, kTable, {320, 256, 512}, 4).id, "sgemm_smem");
  constexpr MeasuredTimes close[] = {{{256, 256, 512}, {5.2F, 4.8F}}};
  EXPECT_EQ(LeastExpected("best", kStages, close, {256, 256, 512}, 4).id, "sgemm_smem");
  EXPECT_EQ(LeastExpected("best", kStages, close, {320, 256, 512}, 4).id, "sgemm_naive");
}

TEST(LeastExpected, TakesARowWhoseLinesAreAsWhole) {
  EXPECT_EQ(LeastExpected("best", kStages, kTable, {256, 256, 504}, 4).id, "sgemm_naive");
}

TEST(LeastExpected, SaysWhoseTableIsWrong) {
  constexpr TiledStage none[] = {{"sgemm_none", 64, 64}};
  const auto said = [](std::span<const TiledStage> stages, std::span<const MeasuredTimes> table) -> std::string {
    try {
      LeastExpected("some_best", stages, table, {1, 1, 1}, 1);
    } catch (const Error& error) {
      return error.what();
    }
    return "launched something";
  };
  EXPECT_THAT(said(none, kTable), HasSubstr("some_best's table names no stage: 'sgemm_none'"));
  EXPECT_THAT(said(kStages, {}), HasSubstr("some_best's table has no row"));
}

}  // namespace
}  // namespace culprit
