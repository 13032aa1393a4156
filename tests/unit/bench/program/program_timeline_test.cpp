// SPDX-License-Identifier: Apache-2.0
#include "bench/program/program_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

constexpr std::int64_t kFirst = 1'000'000;

std::vector<TimelineEvent> Events(std::uint32_t count) {  // one each 10 ns
  std::vector<TimelineEvent> events;
  for (std::uint32_t i = 0; i < count; ++i) events.push_back({kFirst + 10 * i, 0, i, 0, false});
  return events;
}

TEST(ProgramTimeline, ListsAllEventsThatFit) {
  const ListedEvents listed = ListEvents(Events(8), kFirst, 85, 8);
  EXPECT_THAT(listed.events, SizeIs(8));
  ASSERT_THAT(listed.windows, SizeIs(1));
  EXPECT_EQ(listed.windows[0].start_ns, 0);
  EXPECT_EQ(listed.windows[0].end_ns, 85);
}

TEST(ProgramTimeline, ListsTheStartAndTheMiddleOfALongProgram) {
  const ListedEvents listed = ListEvents(Events(100), kFirst, 1000, 8);
  ASSERT_THAT(listed.windows, SizeIs(2));
  EXPECT_EQ(listed.windows[0].start_ns, 0);
  EXPECT_EQ(listed.windows[0].end_ns, 40) << "where the first event that is left out begins";
  EXPECT_EQ(listed.windows[1].start_ns, 500);
  EXPECT_EQ(listed.windows[1].end_ns, 540);
  std::vector<std::uint32_t> indices;
  for (const TimelineEvent& event : listed.events) indices.push_back(event.index);
  EXPECT_THAT(indices, ElementsAre(0, 1, 2, 3, 50, 51, 52, 53));
}

TEST(ProgramTimeline, ListsNoEventTwiceWhereTheWindowsMeet) {
  const ListedEvents listed = ListEvents(Events(9), kFirst, 100, 8);
  ASSERT_THAT(listed.events, SizeIs(8));
  EXPECT_EQ(listed.windows[1].start_ns, 40);
  EXPECT_EQ(listed.events[4].index, 4u);
}

TracedCounters Counters(const char* name, std::vector<std::int64_t> starts, std::int64_t length,
                        std::vector<double> values) {
  TracedCounters counters;
  counters.metrics = {{name, "sampled", name, "inst", ""}};
  for (const std::int64_t start : starts) {
    counters.start_ns.push_back(kFirst + start);
    counters.end_ns.push_back(kFirst + start + length);
  }
  counters.values = std::move(values);
  return counters;
}

TEST(ProgramTimeline, DividesRecordsAmongBinsByTime) {
  const TracedCounters counters = Counters("inst", {-50, 50, 150}, 100, {10, 20, 40});
  TimelineRecord timeline{.span_ns = 300};
  const GpuCounters gpu{0, {&counters}};
  BinCounters(std::span(&gpu, 1), kFirst, timeline);
  EXPECT_EQ(timeline.bin_ns, 100) << "no bin is shorter than a record";
  ASSERT_THAT(timeline.turns, SizeIs(1));
  EXPECT_THAT(timeline.turns[0].covered_ns, ElementsAre(100, 100, 50));
  EXPECT_THAT(timeline.turns[0].counters[0].sums, ElementsAre(Optional(5 + 10), Optional(10 + 20), Optional(20)));
}

TEST(ProgramTimeline, BoundsItsBinsAndMeasuresNothingBetweenTurns) {
  const TracedCounters first = Counters("inst", {0, 10}, 10, {1, 2}), second = Counters("dram", {40, 50}, 10, {5, 0});
  const TracedCounters again = Counters("inst", {80}, 10, {7});
  TimelineRecord timeline{.span_ns = 99};
  const std::vector<GpuCounters> gpus{{2, {&again, &second, &first}}};
  BinCounters(gpus, kFirst, timeline, 5);
  EXPECT_EQ(timeline.bin_ns, 20);
  ASSERT_THAT(timeline.turns, SizeIs(2));
  EXPECT_EQ(timeline.turns[0].gpu, 2);
  EXPECT_EQ(timeline.turns[0].counters[0].metric.id, "dram");
  EXPECT_THAT(timeline.turns[0].counters[0].sums,
              ElementsAre(std::nullopt, std::nullopt, Optional(5), std::nullopt, std::nullopt));
  EXPECT_THAT(timeline.turns[0].covered_ns, ElementsAre(0, 0, 20, 0, 0));
  EXPECT_THAT(timeline.turns[1].counters[0].sums,
              ElementsAre(Optional(3), std::nullopt, std::nullopt, std::nullopt, Optional(7)));
}

TEST(ProgramTimeline, HasNoBinsWithoutRecords) {
  TimelineRecord timeline{.span_ns = 99};
  BinCounters({}, kFirst, timeline);
  EXPECT_EQ(timeline.bin_ns, 0);
  EXPECT_THAT(timeline.turns, IsEmpty());
}

TEST(ProgramTimeline, LeavesOutRecordsThatAreNoCounts) {
  const TracedCounters counters = Counters("inst", {0, 10}, 10, {-1, 3});
  TimelineRecord timeline{.span_ns = 20};
  const GpuCounters gpu{0, {&counters}};
  BinCounters(std::span(&gpu, 1), kFirst, timeline);
  EXPECT_THAT(timeline.turns[0].counters[0].sums, ElementsAre(std::nullopt, Optional(3)));
}

}  // namespace
}  // namespace culprit
