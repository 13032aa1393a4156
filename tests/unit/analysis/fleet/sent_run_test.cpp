// SPDX-License-Identifier: Apache-2.0
#include "analysis/fleet/sent_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "analysis/number/statistics.h"

namespace culprit {
namespace {

std::vector<double> UpTo(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(MedianInterval, NeedsSixValues) {
  EXPECT_FALSE(MedianInterval(UpTo(5)));
  const auto six = MedianInterval(UpTo(6));
  ASSERT_TRUE(six);
  EXPECT_EQ(six->low, 1);
  EXPECT_EQ(six->high, 6);
}

// Tables of the sign test: with 20 values the 6th and the 15th, with 100 the 40th and the 61st.
TEST(MedianInterval, IsThatOfTheSignTest) {
  const auto twenty = MedianInterval(UpTo(20)), hundred = MedianInterval(UpTo(100));
  ASSERT_TRUE(twenty && hundred);
  EXPECT_EQ(twenty->low, 6);
  EXPECT_EQ(twenty->high, 15);
  EXPECT_EQ(hundred->low, 40);
  EXPECT_EQ(hundred->high, 61);
}

TEST(MedianInterval, HoldsTheMedianAsOftenAsItSays) {
  std::mt19937_64 dice(7);
  std::lognormal_distribution<double> skewed(0, 1);  // median 1
  for (const int n : {7, 16, 40}) {
    int held = 0;
    constexpr int kTries = 4000;
    for (int i = 0; i < kTries; ++i) {
      std::vector<double> values(static_cast<std::size_t>(n));
      for (double& value : values) value = skewed(dice);
      std::ranges::sort(values);
      const auto interval = MedianInterval(values);
      ASSERT_TRUE(interval);
      held += interval->low <= 1 && 1 <= interval->high ? 1 : 0;
    }
    EXPECT_GT(held, 0.94 * kTries) << n;
    EXPECT_LT(held, kTries) << n;
  }
}

}  // namespace
}  // namespace culprit
