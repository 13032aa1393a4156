// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/shift.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

namespace culprit {
namespace {

// Tables of the two-sided 1 % and 5 % points of U (e.g. Hollander, Wolfe and Chicken, table A.6) give the largest value
// that is significant; the ratio after it bounds the interval.
TEST(Shift, IsBoundedWhereTheTablesOfMannAndWhitneySay) {
  EXPECT_EQ(BoundingRatio(5, 5, 0.99), 0 + 1);
  EXPECT_EQ(BoundingRatio(8, 8, 0.99), 7 + 1);
  EXPECT_EQ(BoundingRatio(10, 10, 0.95), 23 + 1);
  EXPECT_EQ(BoundingRatio(16, 16, 0.99), 60 + 1);
  EXPECT_EQ(BoundingRatio(20, 20, 0.95), 127 + 1);
  EXPECT_EQ(BoundingRatio(6, 12, 0.95), 14 + 1);
}

TEST(Shift, IsNotStatedFromTooFewValues) {
  EXPECT_EQ(BoundingRatio(4, 4, 0.99), 0);
  EXPECT_EQ(BoundingRatio(1, 2000, 0.99), 0);
  EXPECT_EQ(BoundingRatio(0, 16, 0.99), 0);
  const std::vector<double> four = {1, 2, 3, 4};
  EXPECT_FALSE(EstimateShift(four, four, 0.99));
  EXPECT_TRUE(EstimateShift(four, four, 0.95));
  EXPECT_FALSE(EstimateShift({}, four, 0.95));
}

TEST(Shift, TheNormalApproximationContinuesTheExactDistribution) {
  for (const double confidence : {0.95, 0.99})
    for (long n = 8; n <= 25; ++n) {
      const long exact = BoundingRatio(n, 50 - n, confidence), approximate = BoundingRatio(n, 51 - n, confidence);
      EXPECT_GE(approximate, exact - 1) << n;
      EXPECT_LE(approximate, exact + n / 2) << n;
    }
}

TEST(Shift, IsTheMedianOfAllRatiosBetweenTwoOfThem) {
  const std::vector<double> base = {100, 101, 103, 104, 108}, candidate = {150, 151, 152, 155, 160};
  std::vector<double> ratios;
  for (const double b : base)
    for (const double c : candidate) ratios.push_back(c / b - 1);
  std::sort(ratios.begin(), ratios.end());
  const auto shift = EstimateShift(base, candidate, 0.99);
  ASSERT_TRUE(shift);
  EXPECT_NEAR(shift->change, ratios[12], 1e-8);
  EXPECT_NEAR(shift->low, ratios.front(), 1e-8);
  EXPECT_NEAR(shift->high, ratios.back(), 1e-8);
}

TEST(Shift, OfEqualValuesIsExactlyZero) {
  const std::vector<double> equal(16, 123.456);
  const auto shift = EstimateShift(equal, equal, 0.99);
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->change, 0);
  EXPECT_EQ(shift->low, 0);
  EXPECT_EQ(shift->high, 0);
}

TEST(Shift, TheIntervalHoldsTheTruthAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> long_tailed(0, 0.5);
  int held = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> base(12), candidate(12);
    for (double& value : base) value = long_tailed(random);
    for (double& value : candidate) value = 1.3 * long_tailed(random);
    const auto shift = EstimateShift(base, candidate, 0.9);
    if (shift && shift->low <= 0.3 && 0.3 <= shift->high) ++held;
  }
  EXPECT_GE(held, 0.88 * kTrials);
  EXPECT_LE(held, 0.93 * kTrials);
}

TEST(Shift, OfThousandsOfValuesTakesMillisecondsNotSeconds) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(100, 1);
  std::vector<double> base(5000), candidate(5000);
  for (double& value : base) value = normal(random);
  for (double& value : candidate) value = 1.01 * normal(random);
  const auto start = std::chrono::steady_clock::now();
  const auto shift = EstimateShift(base, candidate, 0.99);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));  // 25 million ratios
  ASSERT_TRUE(shift);
  EXPECT_NEAR(shift->change, 0.01, 0.001);
}

rc::Gen<std::vector<double>> Values() {
  return rc::gen::mapcat(rc::gen::inRange(5, 60), [](int count) {
    return rc::gen::container<std::vector<double>>(
        count, rc::gen::map(rc::gen::inRange(1, 100000), [](int n) { return n / 10.0; }));
  });
}

RC_GTEST_PROP(Shift, LiesWithinItsIntervalAndTurnsAroundWithTheTwoSides, ()) {
  const auto base = *Values(), candidate = *Values();
  const auto there = EstimateShift(base, candidate, 0.99), back = EstimateShift(candidate, base, 0.99);
  RC_ASSERT(there.has_value() && back.has_value());
  RC_ASSERT(there->low <= there->change + 1e-12 && there->change <= there->high + 1e-12);
  RC_ASSERT(std::abs(std::log1p(there->change) + std::log1p(back->change)) < 1e-8);
  RC_ASSERT(std::abs(std::log1p(there->low) + std::log1p(back->high)) < 1e-8);
}

}  // namespace
}  // namespace culprit
