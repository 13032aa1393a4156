// SPDX-License-Identifier: Apache-2.0
// What needs no GPU of sampling instructions: how densely, and what CUPTI's records come to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/sample_sums.h"
#include "profiler/sampling_plan.h"

namespace culprit {
namespace {

using ::testing::SizeIs;

constexpr int kSms = 132;
constexpr double kClock = 1980;

TEST(SamplingPeriod, IsTheUsualForAKernelOfMostLengths) {
  for (const double us : {5., 50., 500., 50'000.}) EXPECT_EQ(PeriodFor({us, kClock, kSms}), kUsualPeriod) << us;
  EXPECT_NEAR(ExpectedSamples({700, kClock, kSms}, 8), 715'000, 1'000) << "as measured: 2.1 million of three launches";
}

TEST(SamplingPeriod, IsDenserWhereAsManyLaunchesAsAreMadeWouldGiveTooFew) {
  EXPECT_EQ(PeriodFor({5, kClock, 20}), kDensePeriod);
  EXPECT_EQ(PeriodFor({5, kClock, 1}), kDensestPeriod);
  EXPECT_EQ(PeriodFor({0, kClock, kSms}), kDensestPeriod);
  EXPECT_EQ(PeriodFor({500'000, kClock, 1}), kUsualPeriod) << "one launch of half a second is made";
}

TEST(SamplingPeriod, GivesEnoughAndAFewMillionAtMost) {
  EXPECT_EQ(PeriodFor({1e6, kClock, kSms}), kSparsePeriod);
  for (double us = 1; us < 1e7; us *= 1.3)
    for (const int sms : {1, 20, kSms}) {
      const KernelSpan kernel{us, kClock, sms};
      const double one = ExpectedSamples(kernel, PeriodFor(kernel));
      EXPECT_LE(one, 2.6e6) << us;
      const double launches = std::clamp(0.2e6 / us, 1.0, 1000.0);
      if (us * sms > 10) {
        EXPECT_GE(one * launches, kEnoughSamples) << us << " us on " << sms;
      }
    }
}

TEST(MoreLaunches, AreAsManyAsTheFirstOnesSay) {
  EXPECT_EQ(MoreLaunches(1, 700'000, 700), 0);
  EXPECT_EQ(MoreLaunches(1, 10'000, 10), 3);
  EXPECT_EQ(MoreLaunches(1, 5'100, 5), 7) << "6.8";
}

TEST(MoreLaunches, HaveABound) {
  EXPECT_EQ(MoreLaunches(1, 1, 5), 999);
  EXPECT_EQ(MoreLaunches(1, 0, 5), 999);
  EXPECT_EQ(MoreLaunches(1, 1, 50'000), 3) << "0.2 s in all";
  EXPECT_EQ(MoreLaunches(1, 1, 5e6), 0);
}

TEST(StallReason, IsWhatStandsBehindTheNameOfAll) {
  const auto plain = StallReasonOf("smsp__pcsamp_warps_issue_stalled_long_scoreboard");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->reason, "long_scoreboard");
  EXPECT_FALSE(plain->not_issued);
  const auto part = StallReasonOf("smsp__pcsamp_warps_issue_stalled_not_selected_not_issued");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->reason, "not_selected");
  EXPECT_TRUE(part->not_issued);
  EXPECT_FALSE(StallReasonOf("smsp__pcsamp_sample_buffer_full"));
  EXPECT_FALSE(StallReasonOf("smsp__pcsamp_warps_issue_stalled_"));
  EXPECT_FALSE(StallReasonOf(""));
}

const StallReason kLong{"long_scoreboard", false}, kLongNotIssued{"long_scoreboard", true},
    kSelected{"selected", false};

TEST(SampleSums, AddUpByInstructionAndReason) {
  SampleSums sums;
  sums.Add("k", 16, kLong, 42);
  sums.Add("k", 16, kLongNotIssued, 39);
  sums.Add("k", 16, kLong, 8);
  sums.Add("k", 0, kSelected, 5);
  sums.Add("a", 16, kLong, 1);
  sums.Add("a", 32, kLong, 0);
  const SamplingRecord record = sums.Record();
  ASSERT_THAT(record.rows, SizeIs(3));
  EXPECT_EQ(record.rows[0].function, "a");
  EXPECT_EQ(record.rows[1].pc_offset, 0);
  EXPECT_EQ(record.rows[2].samples, 50) << "those without issue are among them";
  EXPECT_EQ(record.rows[2].not_issued, 39);
  EXPECT_EQ(record.samples, 56);
  EXPECT_EQ(sums.not_issued(), 39);
}

TEST(SampleSums, KnowSamplesWithoutAnInstruction) {
  SampleSums sums;
  sums.Add("k", 16, kLong, 100);
  sums.Add(SampleTotals{130, 10, 5});
  EXPECT_EQ(sums.Record().samples, 115);
  EXPECT_EQ(sums.Record().dropped, 10);
  sums.Add(SampleTotals{20, 0, 20});
  EXPECT_EQ(sums.Record().samples, 115) << "in kernels of the driver's";
}

TEST(SampleSums, DoNotCountThoseWithoutIssueTwiceWhereTheTotalDoes) {
  SampleSums sums;
  sums.Add("k", 16, kLong, 100);
  sums.Add("k", 16, kLongNotIssued, 90);
  sums.Add(SampleTotals{190, 0, 0});
  EXPECT_EQ(sums.Record().samples, 100);
}

TEST(SampleSums, AddThoseWithoutIssueWhereTheyStandBeside) {
  SampleSums sums;
  sums.Add("k", 16, kLong, 10);
  sums.Add("k", 16, kLongNotIssued, 90);
  sums.Add("k", 32, kSelected, 5);
  const SamplingRecord record = sums.Record();
  EXPECT_EQ(record.rows[0].samples, 100);
  EXPECT_EQ(record.rows[0].not_issued, 90);
  EXPECT_EQ(record.samples, 105);
}

TEST(SampleSums, AreTheSameByFunction) {
  SampleSums sums;
  sums.Add("k", 16, kLong, 10);
  sums.Add("l", 16, kLong, 20);
  sums.Add("l", 32, kSelected, 5);
  const auto records = sums.RecordsByFunction();
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records.at("k").samples, 10);
  EXPECT_EQ(records.at("l").samples, 25);
  EXPECT_THAT(records.at("l").rows, SizeIs(2));
}

}  // namespace
}  // namespace culprit
