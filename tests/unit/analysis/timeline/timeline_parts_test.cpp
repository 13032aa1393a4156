// SPDX-License-Identifier: Apache-2.0
// Idle gaps, NVTX ranges, rates over bins and phases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/timeline/bin_rates.h"
#include "analysis/timeline/idle_gaps.h"
#include "analysis/timeline/phase_rates.h"
#include "analysis/timeline/range_slices.h"
#include "db/sampled_counters.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

TimelineLaunch At(std::int64_t start, std::int64_t duration, std::string range = "", int gpu = 0) {
  return {1, gpu, 7, start, duration, false, std::move(range)};
}

TEST(IdleGaps, LieBetweenAllThatRan) {
  TimelineRecord timeline{.span_ns = 100, .windows = {{0, 100}}};
  timeline.launches = {At(0, 20), At(10, 5), At(30, 10), At(35, 40, "", 1)};
  timeline.copies = {{CopyKind::kSet, 0, 1, 50, 10}};
  const std::vector<IdleGap> gaps = IdleGaps(timeline, 0);
  ASSERT_THAT(gaps, SizeIs(3));
  EXPECT_EQ(gaps[0].start_ns, 20);
  EXPECT_EQ(gaps[0].end_ns, 30);
  EXPECT_EQ(gaps[0].before, 0) << "the launch that ended last, not the one that began last";
  EXPECT_EQ(gaps[0].after, 2);
  EXPECT_EQ(gaps[1].start_ns, 40);
  EXPECT_EQ(gaps[1].end_ns, 50);
  EXPECT_EQ(gaps[1].after, -1) << "a copy";
  EXPECT_EQ(gaps[2].start_ns, 60);
  EXPECT_EQ(gaps[2].end_ns, 100);
}

TEST(IdleGaps, AreNotKnownBetweenWindows) {
  TimelineRecord timeline{.span_ns = 100, .windows = {{0, 30}, {60, 100}}};
  timeline.launches = {At(0, 20), At(70, 30)};
  const std::vector<IdleGap> gaps = IdleGaps(timeline, 0);
  ASSERT_THAT(gaps, SizeIs(2));
  EXPECT_EQ(gaps[0].end_ns, 30);
  EXPECT_EQ(gaps[1].start_ns, 60);
  EXPECT_EQ(gaps[1].end_ns, 70);
  EXPECT_EQ(gaps[1].before, -1);
}

std::vector<RangeSlice> Slices(const std::vector<TimelineLaunch>& launches) {
  std::vector<const TimelineLaunch*> all;
  for (const TimelineLaunch& launch : launches) all.push_back(&launch);
  return SlicesOf(all);
}

TEST(RangeSlices, SpanTheLaunchesOfARange) {
  const auto slices = Slices({At(0, 10), At(20, 10, "step 1/forward"), At(40, 10, "step 1/forward"),
                              At(60, 10, "step 1/backward"), At(80, 10, "step 2"), At(100, 10)});
  ASSERT_THAT(slices, SizeIs(4));
  EXPECT_EQ(slices[0].name, "step 1");
  EXPECT_EQ(slices[0].depth, 0);
  EXPECT_EQ(slices[0].start_ns, 20);
  EXPECT_EQ(slices[0].end_ns, 70);
  EXPECT_EQ(slices[1].name, "forward");
  EXPECT_EQ(slices[1].path, "step 1/forward");
  EXPECT_EQ(slices[1].depth, 1);
  EXPECT_EQ(slices[1].end_ns, 50);
  EXPECT_EQ(slices[2].name, "backward");
  EXPECT_EQ(slices[3].name, "step 2");
  EXPECT_EQ(slices[3].end_ns, 90);
}

TEST(RangeSlices, EndWhereTheNextBegins) {
  const auto slices = Slices({At(0, 50, "a/b"), At(30, 10, "a/c"), At(35, 100, "d")});
  ASSERT_THAT(slices, SizeIs(4));
  EXPECT_EQ(slices[1].end_ns, 30) << "b, whose kernel overlaps c's";
  EXPECT_EQ(slices[0].end_ns, 35) << "a";
  EXPECT_EQ(slices[2].end_ns, 35) << "c";
}

const MetricDefinition kClock{"sm_cycles_elapsed_max", "sampled", "", "cycle", ""};
const MetricDefinition kIssued{"inst_executed", "sampled", "", "inst", ""};

Device ADevice() {
  Device device;
  device.sm_count = 10;
  return device;
}

TEST(BinRates, HaveNoValueWhereNothingWasCounted) {
  TimelineRecord timeline{.span_ns = 300, .bin_ns = 100};
  timeline.turns = {{0, {100, 0, 50}, {{kClock, {200, std::nullopt, 100}}, {kIssued, {4000, std::nullopt, 0}}}},
                    {1, {100, 100, 100}, {{kIssued, {1, 1, 1}}}}};
  const std::vector<RateSeries> rates = RatesOf(timeline, 0, ADevice());
  ASSERT_THAT(rates, SizeIs(2));
  EXPECT_EQ(rates[0].rate->id, "issue");
  EXPECT_THAT(rates[0].bins, ElementsAre(Optional(50), std::nullopt, Optional(0)));
  EXPECT_DOUBLE_EQ(rates[0].covered, 0.5);
  EXPECT_DOUBLE_EQ(*RateOver(rates[0], 0, 3, ADevice()), 100 * 4000 / (4.0 * 10 * 300)) << "sums, not a mean of means";
  EXPECT_EQ(rates[1].rate->id, "clock");
  EXPECT_THAT(rates[1].bins, ElementsAre(Optional(2000), std::nullopt, Optional(2000)));
  EXPECT_THAT(RatesOf(timeline, 2, ADevice()), IsEmpty());
}

TEST(PhaseRates, GoFromPrologueToTail) {
  KernelRecord kernel;
  kernel.run.run.device = ADevice();
  kernel.samples.resize(1);
  kernel.samples[0].clock_mhz = 1000;
  const PhaseProfile profile{kIssued, 1000, {0, 0.25, 1}, {5000, 3000}, {100, 300}};
  const std::vector<PhaseRates> rates = RatesInside(kernel, std::span(&profile, 1));
  ASSERT_THAT(rates, SizeIs(1));
  EXPECT_THAT(rates[0].values, ElementsAre(50, 10)) << "250 and 750 cycles of 40 slots";
  EXPECT_THAT(rates[0].errors, ElementsAre(1, 1));
  EXPECT_EQ(rates[0].mean, 20);
  EXPECT_EQ(ValueAt(rates[0], 0), 50);
  EXPECT_EQ(ValueAt(rates[0], 0.24), 50);
  EXPECT_EQ(ValueAt(rates[0], 0.26), 10);
  EXPECT_EQ(ValueAt(rates[0], 1), 10);
  kernel.samples[0].clock_mhz.reset();
  EXPECT_THAT(RatesInside(kernel, std::span(&profile, 1)), IsEmpty()) << "no clock, no share of its cycles";
}

}  // namespace
}  // namespace culprit
