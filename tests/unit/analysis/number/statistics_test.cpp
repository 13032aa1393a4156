// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace culprit {
namespace {

TEST(Statistics, InterpolatesQuartilesBetweenSamples) {
  const auto d = Describe(std::vector<double>{4, 1, 3, 2});
  ASSERT_TRUE(d);
  EXPECT_DOUBLE_EQ(d->min, 1);
  EXPECT_DOUBLE_EQ(*d->q1, 1.75);
  EXPECT_DOUBLE_EQ(d->median, 2.5);
  EXPECT_DOUBLE_EQ(*d->q3, 3.25);
  EXPECT_DOUBLE_EQ(d->max, 4);
}

TEST(Statistics, VariationIsTheSampleStandardDeviationOverTheMean) {
  EXPECT_NEAR(*Describe(std::vector<double>{9, 11})->cv, 0.1414213562, 1e-9);
}

TEST(Statistics, LeavesOutSamplesTakenAtALowClockAndCountsThem) {
  const std::vector<Sample> samples = {
      {0, 100, 1900, false}, {0, 500, 600, true}, {1, 102, 1800, false}, {1, 104, std::nullopt, false}};
  const TimeSummary summary = Summarize(samples);
  EXPECT_EQ(summary.kept, 3);
  EXPECT_EQ(summary.left_out, 1);
  EXPECT_DOUBLE_EQ(summary.time_us->median, 102);
  EXPECT_DOUBLE_EQ(summary.time_us->max, 104);
  EXPECT_DOUBLE_EQ(*summary.clock_mhz, 1850);
}

TEST(Statistics, HasNoMedianWhenEverySampleWasTakenAtALowClock) {
  const std::vector<Sample> samples = {{0, 100, 600, true}};
  const TimeSummary summary = Summarize(samples);
  EXPECT_FALSE(summary.time_us);
  EXPECT_FALSE(summary.clock_mhz);
  EXPECT_EQ(summary.left_out, 1);
}

TEST(Statistics, HasNoClockWhenNoSampleCarriesOne) {
  const std::vector<Sample> samples = {{0, 100, std::nullopt, false}};
  EXPECT_FALSE(Summarize(samples).clock_mhz);
}

TEST(Statistics, LeavesOutTimesAndClocksThatNothingCanHaveTaken) {
  const double infinite = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Sample> samples = {{0, 100, 1900, false}, {0, infinite, 1900, false}, {0, nan, 1900, false},
                                       {0, -5, 1900, false},  {0, 0, 1900, false},        {0, 104, infinite, false},
                                       {0, 102, -1, false}};
  const TimeSummary summary = Summarize(samples);
  EXPECT_EQ(summary.kept, 3);
  EXPECT_EQ(summary.no_times, 4);
  EXPECT_EQ(summary.no_clocks, 2);
  EXPECT_EQ(summary.left_out, 0);
  EXPECT_DOUBLE_EQ(summary.time_us->median, 102);
  EXPECT_DOUBLE_EQ(*summary.clock_mhz, 1900);
}

TEST(Statistics, ASingleSampleHasNoSpread) {
  const auto d = Describe(std::vector<double>{7});
  EXPECT_EQ(d->median, 7);
  EXPECT_FALSE(d->q1);
  EXPECT_FALSE(d->q3);
  EXPECT_FALSE(d->cv);
}

RC_GTEST_PROP(Statistics, OrdersItsQuantilesAndIgnoresTheOrderOfSamples, ()) {
  auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(1, 1000000), [](int n) { return n / 7.0; })));
  const Distribution d = *Describe(values);
  RC_ASSERT(d.min <= d.median && d.median <= d.max);
  RC_ASSERT(d.q1.value().has_value() == (d.q3.value().has_value()));
  if (d.q1) RC_ASSERT(d.min <= *d.q1 && *d.q1 <= d.median && d.median <= *d.q3 && *d.q3 <= d.max);
  RC_ASSERT(d.mean >= d.min * (1 - 1e-12) && d.mean <= d.max * (1 + 1e-12));
  std::reverse(values.begin(), values.end());
  RC_ASSERT(Describe(values)->median == d.median);
}

RC_GTEST_PROP(Statistics, ScalesWithTheUnit, ()) {
  auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(1, 1000000), [](int n) { return n / 8.0; })));
  const Distribution once = *Describe(values);
  for (double& v : values) v *= 4;  // a power of two: exact
  const Distribution scaled = *Describe(values);
  RC_ASSERT(scaled.median == 4 * once.median);
  RC_ASSERT(scaled.q1.value_or(0) == 4 * once.q1.value_or(0));
  RC_ASSERT(std::abs(scaled.cv.value_or(0) - once.cv.value_or(0)) < 1e-9);
}

}  // namespace
}  // namespace culprit
