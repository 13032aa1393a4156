// SPDX-License-Identifier: Apache-2.0
#include "bench/sample_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace culprit {
namespace {

using ::testing::ElementsAre;

std::vector<bool> Marks(const std::vector<TimedSample>& timed) {
  std::vector<bool> marks;
  for (const Sample& s : Mark(timed)) marks.push_back(s.low_clock);
  return marks;
}

TEST(Median, IsTheMiddleOfAnOddNumber) { EXPECT_EQ(Median({9, 1, 5}), 5); }
TEST(Median, IsTheMeanOfTheMiddleTwoOfAnEvenNumber) { EXPECT_EQ(Median({8, 1, 4, 2}), 3); }
TEST(Median, OfOneValueIsThatValue) { EXPECT_EQ(Median({7}), 7); }
TEST(Median, OfNothingIsNoNumber) { EXPECT_TRUE(std::isnan(Median({}))); }

TEST(SampleMarks, MarkASampleFarBelowTheUsualClock) {
  EXPECT_THAT(Marks({{10, 1980}, {11, 1700}, {10, 1980}}), ElementsAre(false, true, false));
}

TEST(SampleMarks, KeepThatTheGateGaveUp) {
  const std::vector<Sample> samples = Mark({{10, 1980, false}, {900, 1980, true}});
  EXPECT_FALSE(samples[0].gate_open);
  EXPECT_TRUE(samples[1].gate_open);
  EXPECT_FALSE(samples[1].low_clock) << "a mark of its own";
}

TEST(SampleMarks, LeaveTheNoiseOfTheClockAlone) {
  EXPECT_THAT(Marks({{10, 1980}, {10, 1970}, {10, 1990}, {10, 1900}}), ElementsAre(false, false, false, false));
}

TEST(SampleMarks, BeginBelowTheShareAndNotAtIt) {
  EXPECT_THAT(Marks({{1, 1000}, {1, 1000}, {1, 950}}), ElementsAre(false, false, false));
  EXPECT_THAT(Marks({{1, 1000}, {1, 1000}, {1, 949}}), ElementsAre(false, false, true));
}

TEST(SampleMarks, NeverMarkAFastClock) { EXPECT_THAT(Marks({{1, 100}, {1, 100}, {1, 5000}}), ElementsAre(0, 0, 0)); }

TEST(SampleMarks, NeverMarkASampleWithoutAClock) {
  EXPECT_THAT(Marks({{1, std::nullopt}, {1, 1000}, {1, 1000}, {1, 100}}), ElementsAre(false, false, false, true));
  EXPECT_THAT(Marks({{1, std::nullopt}, {2, std::nullopt}}), ElementsAre(false, false));
}

TEST(SampleMarks, KeepANanosecondAndAHundredthOfAMegahertz) {
  const Sample s = Mark({{59.07199904322624, 1950.7922569878606}}).front();
  EXPECT_EQ(s.time_us, 59.072);
  EXPECT_EQ(s.clock_mhz, 1950.79);
}

TEST(SampleMarks, OfNoSamplesAreNone) { EXPECT_TRUE(Mark({}).empty()); }

TEST(MedianTime, LeavesMarkedSamplesOut) {
  EXPECT_EQ(MedianTime({{0, 10, 2000, false}, {0, 90, 900, true}, {0, 12, 2000, false}}), 11);
}

TEST(MedianTime, OfNothingIsNoNumber) {
  EXPECT_TRUE(std::isnan(MedianTime({})));
  EXPECT_TRUE(std::isnan(MedianTime({{0, 10, 2000, true}})));
}

// Clocks from idle to twice the boost of today's GPUs, some unknown.
rc::Gen<std::vector<TimedSample>> Samples() {
  return rc::gen::container<std::vector<TimedSample>>(rc::gen::apply(
      [](int time, bool known, int clock) {
        return TimedSample{time / 10.0, known ? std::optional<double>(clock) : std::nullopt};
      },
      rc::gen::inRange(1, 1'000'000), rc::gen::weightedElement<bool>({{9, true}, {1, false}}),
      rc::gen::inRange(200, 4000)));
}

RC_GTEST_PROP(Median, StandsBetweenAsManyBelowAsAbove, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(-1000, 1000), [](int i) { return static_cast<double>(i); })));
  const double median = Median(values);
  const auto below = std::count_if(values.begin(), values.end(), [&](double v) { return v < median; });
  const auto above = std::count_if(values.begin(), values.end(), [&](double v) { return v > median; });
  RC_ASSERT(2 * below <= std::ssize(values));
  RC_ASSERT(2 * above <= std::ssize(values));
}

RC_GTEST_PROP(Median, DoesNotDependOnTheOrder, ()) {
  auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(-1000, 1000), [](int i) { return static_cast<double>(i); })));
  const double median = Median(values);
  std::sort(values.begin(), values.end());
  RC_ASSERT(Median(values) == median);
}

RC_GTEST_PROP(SampleMarks, KeepEverySampleInItsPlace, ()) {
  const auto timed = *Samples();
  const auto marked = Mark(timed);
  RC_ASSERT(marked.size() == timed.size());
  for (std::size_t i = 0; i < timed.size(); ++i) {
    RC_ASSERT(std::abs(marked[i].time_us - timed[i].time_us) <= 0.000501);
    RC_ASSERT(marked[i].clock_mhz.has_value() == timed[i].clock_mhz.has_value());
    if (timed[i].clock_mhz) RC_ASSERT(std::abs(*marked[i].clock_mhz - *timed[i].clock_mhz) <= 0.00501);
  }
}

RC_GTEST_PROP(SampleMarks, AreOnAtMostHalfOfTheSamples, ()) {
  const auto timed = *rc::gen::nonEmpty(Samples());
  const auto marked = Mark(timed);
  const auto low = std::count_if(marked.begin(), marked.end(), [](const Sample& s) { return s.low_clock; });
  // So that something always remains to take a median time of.
  RC_ASSERT(2 * low <= std::ssize(marked));
  RC_ASSERT(!std::isnan(MedianTime(marked)));
}

RC_GTEST_PROP(SampleMarks, MarkEverythingSlowerThanAMarkedSample, ()) {
  const auto marked = Mark(*Samples());
  for (const Sample& a : marked)
    for (const Sample& b : marked)
      if (a.low_clock && b.clock_mhz && *b.clock_mhz <= *a.clock_mhz) RC_ASSERT(b.low_clock);
}

RC_GTEST_PROP(SampleMarks, DoNotDependOnTheUnitOfTheClock, ()) {
  auto timed = *Samples();
  const auto marks = Marks(timed);
  for (TimedSample& t : timed)
    if (t.clock_mhz) *t.clock_mhz *= 1024;  // a power of two: nothing is rounded
  RC_ASSERT(Marks(timed) == marks);
}

}  // namespace
}  // namespace culprit
