// SPDX-License-Identifier: Apache-2.0
#include "bench/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace culprit {
namespace {

using testing::ElementsAre;

std::vector<Sample> Of(const std::vector<double>& times) {
  std::vector<Sample> samples;
  for (const double us : times) samples.emplace_back().time_us = us;
  return samples;
}

TEST(Rounds, EverySecondRoundGoesBackwards) {
  std::vector<std::size_t> taken;
  const auto order = TakeTurns(3, 3, [&](std::size_t i) { taken.push_back(i); });
  EXPECT_THAT(taken, ElementsAre(0, 1, 2, 2, 1, 0, 0, 1, 2));
  EXPECT_EQ(order, taken);
}

TEST(Rounds, NoneTakesNoTurn) {
  const auto never = [](std::size_t) { FAIL(); };
  EXPECT_TRUE(TakeTurns(0, 3, never).empty());
  EXPECT_TRUE(TakeTurns(3, 0, never).empty());
}

// A clock that falls from round to round moves both medians, and no pair.
TEST(Rounds, ADriftLeavesTheRatioOfEachPair) {
  std::vector<double> reference, slower;
  for (int round = 0; round < 11; ++round) {
    reference.push_back(100 + 10 * round);
    slower.push_back(1.25 * reference.back());
  }
  const PairRatios ratios = RatiosOfPairs(Of(reference), Of(slower));
  EXPECT_DOUBLE_EQ(ratios.median, 1.25);
  EXPECT_DOUBLE_EQ(ratios.p10, 1.25);
  EXPECT_DOUBLE_EQ(ratios.p90, 1.25);
}

TEST(Rounds, ASpreadIsThatOfPairs) {
  const auto reference = Of(std::vector<double>(11, 2.0));
  const PairRatios ratios = RatiosOfPairs(reference, Of({22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2}));
  EXPECT_DOUBLE_EQ(ratios.p10, 2);
  EXPECT_DOUBLE_EQ(ratios.median, 6);
  EXPECT_DOUBLE_EQ(ratios.p90, 10);
}

TEST(Rounds, APairWithAMarkedClockDoesNotCount) {
  auto reference = Of({1, 1, 1}), samples = Of({2, 50, 70});
  reference[1].low_clock = samples[2].low_clock = true;
  EXPECT_DOUBLE_EQ(RatiosOfPairs(reference, samples).p90, 2);
  reference[0].low_clock = true;
  EXPECT_TRUE(std::isnan(RatiosOfPairs(reference, samples).median));
}

}  // namespace
}  // namespace culprit
