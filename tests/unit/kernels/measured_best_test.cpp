// SPDX-License-Identifier: Apache-2.0
#include "kernels/measured_best.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/error.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

constexpr MeasuredBest kTable[] = {{{512, 512, 512}, "sgemm_naive"},
                                   {{2048, 2048, 2048}, "sgemm_smem"},
                                   {{2049, 2047, 2049}, "sgemm_float4"},
                                   {{128, 4096, 4096}, "sgemm_padded"}};

TEST(NearestBest, TakesTheRowOfTheNearestExtents) {
  EXPECT_EQ(NearestBest("best", kTable, {512, 512, 512}, 1).id, "sgemm_naive");
  EXPECT_EQ(NearestBest("best", kTable, {8192, 8192, 8192}, 4).id, "sgemm_smem");
  EXPECT_EQ(NearestBest("best", kTable, {130, 3000, 5000}, 1).id, "sgemm_padded");
  EXPECT_EQ(NearestBest("best", kTable, {512, 512, 0}, 1).id, "sgemm_naive") << "no product has a logarithm, too";
}

TEST(NearestBest, TakesAShapeOfTheSameWidthOfAccess) {
  EXPECT_EQ(NearestBest("best", kTable, {2050, 2050, 2050}, 4).id, "sgemm_float4");
  EXPECT_EQ(NearestBest("best", kTable, {2049, 2052, 2049}, 4).id, "sgemm_smem");
}

TEST(NearestBest, SaysWhoseTableNamesNoStage) {
  constexpr MeasuredBest wrong[] = {{{1, 1, 1}, "sgemm_none"}};
  try {
    NearestBest("some_best", wrong, {1, 1, 1}, 1);
    ADD_FAILURE() << "launched nothing";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("some_best's table names no stage: 'sgemm_none'"));
  }
}

}  // namespace
}  // namespace culprit
