// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace culprit {
namespace {

double Sum(const TimelineShares& shares) {
  return std::accumulate(shares.share_us.begin(), shares.share_us.end(), shares.idle_us);
}

TEST(Timeline, WhatRunsAloneHasItsTime) {
  const TimelineShares shares = SharesOf({{1000, 4000, 0}, {6000, 7000, 1}}, 2);
  EXPECT_EQ(shares.share_us[0], 3);
  EXPECT_EQ(shares.share_us[1], 1);
  EXPECT_EQ(shares.idle_us, 2);
  EXPECT_EQ(shares.span_us, 6);
}

TEST(Timeline, WhatRunsAtOnceDividesTheTime) {
  // 0 alone, then all three, then 1 and 2, then 2.
  const TimelineShares shares = SharesOf({{0, 6000, 0}, {3000, 8000, 1}, {3000, 10000, 2}}, 3);
  EXPECT_DOUBLE_EQ(shares.share_us[0], 4);
  EXPECT_DOUBLE_EQ(shares.share_us[1], 2);
  EXPECT_DOUBLE_EQ(shares.share_us[2], 4);
  EXPECT_EQ(shares.idle_us, 0);
}

TEST(Timeline, OfNothingIsNothing) {
  EXPECT_EQ(SharesOf({}, 2).span_us, 0);
  const TimelineShares shares = SharesOf({{5000, 5000, 0}, {9000, 9000, 1}}, 2);
  EXPECT_EQ(shares.share_us[0], 0);
  EXPECT_EQ(shares.idle_us, 4);
  EXPECT_EQ(shares.span_us, 4);
}

// By the definition, nanosecond by nanosecond.
std::vector<double> Slowly(const std::vector<BusyInterval>& intervals, std::size_t keys) {
  std::vector<double> share_us(keys, 0);
  std::map<std::int64_t, std::vector<std::size_t>> at;
  for (const BusyInterval& i : intervals)
    for (std::int64_t t = i.start_ns; t < i.end_ns; ++t) at[t].push_back(i.key);
  for (const auto& [t, running] : at)
    for (const std::size_t key : running) share_us[key] += 1e-3 / static_cast<double>(running.size());
  return share_us;
}

TEST(Timeline, AddsUpWhateverOverlapsAndInWhateverOrder) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<BusyInterval> intervals;
    const int count = static_cast<int>(random() % 30) + 1;
    for (int i = 0; i < count; ++i) {
      const std::int64_t start = random() % 100;
      intervals.push_back({start, start + static_cast<std::int64_t>(random() % 20), random() % 4});
    }
    const TimelineShares shares = SharesOf(intervals, 4);
    EXPECT_NEAR(Sum(shares), shares.span_us, 1e-12);
    const std::vector<double> slowly = Slowly(intervals, 4);
    for (std::size_t key = 0; key < 4; ++key) EXPECT_NEAR(shares.share_us[key], slowly[key], 1e-12);
    std::ranges::shuffle(intervals, random);
    const TimelineShares other = SharesOf(intervals, 4);
    for (std::size_t key = 0; key < 4; ++key) EXPECT_NEAR(other.share_us[key], shares.share_us[key], 1e-12);
  }
}

TEST(Timeline, OfMillionsAddsUp) {
  std::mt19937 random(3);
  std::vector<BusyInterval> intervals;
  std::int64_t now = 1'700'000'000'000'000'000;
  for (int i = 0; i < 2'000'000; ++i) {
    intervals.push_back({now, now + 3000 + static_cast<std::int64_t>(random() % 9000), random() % 100});
    now += random() % 8000;
  }
  const TimelineShares shares = SharesOf(intervals, 100);
  EXPECT_NEAR(Sum(shares) / shares.span_us, 1, 1e-12);
}

}  // namespace
}  // namespace culprit
