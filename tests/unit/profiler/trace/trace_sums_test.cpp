// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/trace_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr TraceSums::Key kA{0, 1}, kB{0, 2};

TEST(TraceSums, SumsWhatRanByKey) {
  TraceSums sums;
  sums.Add(kA, 0, 1000, 3000, 7), sums.Add(kB, 0, 5000, 6000, 0), sums.Add(kA, 0, 8000, 12000, 5);
  const auto closed = sums.Close();
  ASSERT_THAT(closed, SizeIs(2));
  const Summed& a = closed.at(kA);
  EXPECT_EQ(a.calls, 2);
  EXPECT_EQ(a.bytes, 12);
  EXPECT_EQ(a.time_ns, 6000);
  EXPECT_EQ(a.slowest_ns, 4000);
  EXPECT_EQ(a.first_ns, 1000);
  EXPECT_EQ(a.last_ns, 12000);
  EXPECT_DOUBLE_EQ(a.share_us, 6);
  EXPECT_THAT(a.samples_ns, ElementsAre(2000, 4000));
  EXPECT_TRUE(sums.Close().empty());
}

TEST(TraceSums, WhatRunsAtOnceHasAShareEachAndDevicesAreApart) {
  TraceSums sums;
  sums.Add(kA, 0, 0, 4000, 0), sums.Add(kB, 0, 2000, 4000, 0), sums.Add(kB, 1, 2000, 4000, 0);
  const auto closed = sums.Close();
  EXPECT_DOUBLE_EQ(closed.at(kA).share_us, 3);
  EXPECT_DOUBLE_EQ(closed.at(kB).share_us, 3);
}

TEST(TraceSums, TimeThatWasTakenIsNotSharedAgain) {
  TraceSums sums;
  sums.Taken(0, 2000);
  sums.Add(kA, 0, 1000, 3000, 0);
  EXPECT_DOUBLE_EQ(sums.Close().at(kA).share_us, 1) << "what ran before was written alone";
  sums.Add(kB, 0, 0, 5000, 0);
  const auto closed = sums.Close();
  EXPECT_DOUBLE_EQ(closed.at(kB).share_us, 2) << "the block before has shared until 3000";
  EXPECT_EQ(closed.at(kB).time_ns, 5000);
  sums.Add(kB, 0, 0, 5000, 0);
  EXPECT_DOUBLE_EQ(sums.Close().at(kB).share_us, 0);
}

TEST(TraceSums, SamplesAreFewAndEvenlySpread) {
  TraceSums sums;
  for (std::int64_t i = 0; i < 1000; ++i) sums.Add(kA, 0, 100'000 * i, 100'000 * i + i, 0);
  const std::vector<std::int64_t> samples = sums.Close().at(kA).samples_ns;
  ASSERT_THAT(samples, SizeIs(::testing::AllOf(::testing::Ge(8), ::testing::Le(16))));
  for (std::size_t i = 0; i < samples.size(); ++i)
    EXPECT_EQ(samples[i], static_cast<std::int64_t>(i) * samples[1]) << "every n-th";
  EXPECT_GT(samples.back(), 850);
}

TEST(TraceSums, ABlockEndsAfterTenSecondsOrManyCalls) {
  TraceSums sums;
  EXPECT_FALSE(sums.IsFull());
  sums.Add(kA, 0, 1'000, 2'000, 0);
  EXPECT_FALSE(sums.IsFull());
  sums.Add(kA, 0, 9'999'000'000, 10'000'002'000, 0);
  EXPECT_TRUE(sums.IsFull());
  sums.Close();
  for (std::int64_t i = 0; i < 499'999; ++i) sums.Add(kA, 0, i, i + 1, 0);
  EXPECT_FALSE(sums.IsFull());
  sums.Add(kA, 0, 7, 8, 0);
  EXPECT_TRUE(sums.IsFull());
}

}  // namespace
}  // namespace culprit
