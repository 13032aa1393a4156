// SPDX-License-Identifier: Apache-2.0
// Timelines of programs and profiles of launches: stored, read, exported.
#include "db/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "db/database.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

const MetricDefinition kIssued{"inst_executed", "sampled", "sm__inst_executed.sum", "inst", "instructions"};
const MetricDefinition kRead{"dram_read_bytes", "sampled", "dram__bytes_read.sum", "byte", "bytes"};

class Timeline : public testing::Test {
 protected:
  Timeline() {
    run = db.BeginRun(ARun("aaaa"));
    db.StoreStage(run, AStage("gather"), {});
    launch = db.StoreLaunch(run, ALaunch("gather"), Samples({1.0}));
  }

  TimelineRecord ATimeline() const {
    TimelineRecord timeline{.span_ns = 400'000, .bin_ns = 100'000, .left_out = 3};
    timeline.windows = {{0, 150'000}, {200'000, 300'000}};
    timeline.launches = {{launch, 0, 7, 1000, 70'525, false, "step 17/forward"},
                         {launch, 1, 13, 210'000, 90'000, true, ""},
                         {launch, 0, 7, 250'000, 1000, false, "step 17/forward"}};
    timeline.copies = {{CopyKind::kToDevice, 0, 4096, 0, 800}};
    timeline.turns = {{0, {100'000, 50'000, 0, 0}, {{kIssued, {12000, 3500.5, std::nullopt, std::nullopt}}}},
                      {1, {0, 0, 0, 100'000}, {{kRead, {std::nullopt, std::nullopt, std::nullopt, 0}}}}};
    timeline.totals = {{0, kIssued, 15500.5, 14000, 250.25}, {1, kRead, 0, 0, 0}};
    return timeline;
  }
  const PhaseProfile kProfile{kIssued, 80262.5, {0, 0.25, 1}, {1000, 9000}, {10, 20.5}};

  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  RunId run = 0;
  LaunchId launch = 0;
};

TEST_F(Timeline, ComesBackAsItWasStored) {
  db.StoreTimeline(run, ATimeline());
  const auto loaded = db.Timeline(run);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->span_ns, 400'000);
  EXPECT_EQ(loaded->bin_ns, 100'000);
  EXPECT_EQ(loaded->left_out, 3);
  ASSERT_THAT(loaded->windows, SizeIs(2));
  EXPECT_EQ(loaded->windows[1].start_ns, 200'000);
  EXPECT_EQ(loaded->windows[1].end_ns, 300'000);
  ASSERT_THAT(loaded->launches, SizeIs(3));
  EXPECT_EQ(loaded->launches[0].range, "step 17/forward");
  EXPECT_EQ(loaded->launches[1].range, "");
  EXPECT_EQ(loaded->launches[1].gpu, 1);
  EXPECT_EQ(loaded->launches[1].stream, 13);
  EXPECT_TRUE(loaded->launches[1].from_graph);
  EXPECT_FALSE(loaded->launches[2].from_graph);
  EXPECT_EQ(loaded->launches[2].start_ns, 250'000);
  EXPECT_EQ(loaded->launches[2].duration_ns, 1000);
  ASSERT_THAT(loaded->copies, SizeIs(1));
  EXPECT_EQ(loaded->copies[0].kind, CopyKind::kToDevice);
  EXPECT_EQ(loaded->copies[0].bytes, 4096);
  ASSERT_THAT(loaded->turns, SizeIs(2));
  EXPECT_THAT(loaded->turns[0].covered_ns, ElementsAre(100'000, 50'000, 0, 0));
  EXPECT_EQ(loaded->turns[0].counters[0].metric.cupti_name, kIssued.cupti_name);
  EXPECT_THAT(loaded->turns[0].counters[0].sums,
              ElementsAre(Optional(12000), Optional(3500.5), std::nullopt, std::nullopt))
      << "not measured is not 0";
  EXPECT_EQ(loaded->turns[1].gpu, 1);
  EXPECT_THAT(loaded->turns[1].counters[0].sums[3], Optional(0)) << "0 is measured";
  ASSERT_THAT(loaded->totals, SizeIs(2));
  EXPECT_EQ(loaded->totals[0].metric.cupti_name, kIssued.cupti_name);
  EXPECT_EQ(loaded->totals[0].counted, 15500.5);
  EXPECT_EQ(loaded->totals[0].kernels, 14000);
  EXPECT_EQ(loaded->totals[0].copies, 250.25);
  EXPECT_EQ(loaded->totals[1].gpu, 1);
}

TEST_F(Timeline, IsNoneWhereNoneWasStored) { EXPECT_FALSE(db.Timeline(run)); }

TEST_F(Timeline, IsReplacedAsAWhole) {
  db.StoreTimeline(run, ATimeline());
  db.StoreTimeline(run, {.span_ns = 5});
  const auto loaded = db.Timeline(run);
  EXPECT_EQ(loaded->span_ns, 5);
  EXPECT_THAT(loaded->windows, IsEmpty());
  EXPECT_THAT(loaded->launches, IsEmpty());
  EXPECT_THAT(loaded->copies, IsEmpty());
  EXPECT_THAT(loaded->turns, IsEmpty());
  EXPECT_THAT(loaded->totals, IsEmpty());
}

TEST_F(Timeline, KeepsFiveDigits) {
  TimelineRecord timeline = ATimeline();
  timeline.turns[0].counters[0].sums = {123456789.0, 1.23456789, std::nan(""), -1.0};
  db.StoreTimeline(run, timeline);
  EXPECT_THAT(db.Timeline(run)->turns[0].counters[0].sums,
              ElementsAre(Optional(123460000.0), Optional(1.2346), std::nullopt, std::nullopt));
}

TEST_F(Timeline, IsRefusedWithALaunchOfAnotherRunOrBinsThatDiffer) {
  TimelineRecord other = ATimeline();
  other.launches[1].launch = launch + 1;
  EXPECT_THROW(db.StoreTimeline(run, other), Error);
  TimelineRecord uneven = ATimeline();
  uneven.turns[0].counters[0].sums.pop_back();
  EXPECT_THROW(db.StoreTimeline(run, uneven), Error);
  EXPECT_FALSE(db.Timeline(run)) << "a failed call changes nothing";
}

TEST_F(Timeline, HasProfilesByMetric) {
  db.StoreProfiles(launch, std::vector{kProfile, PhaseProfile{kRead, 80262.5, {0, 1}, {7}, {1}}});
  const auto profiles = db.Profiles(launch);
  ASSERT_THAT(profiles, SizeIs(2));
  EXPECT_EQ(profiles[0].metric.id, "dram_read_bytes");
  EXPECT_EQ(profiles[1].metric.id, "inst_executed");
  EXPECT_EQ(profiles[1].duration_ns, 80262.5);
  EXPECT_THAT(profiles[1].edges, ElementsAre(0, 0.25, 1));
  EXPECT_THAT(profiles[1].counts, ElementsAre(1000, 9000));
  EXPECT_THAT(profiles[1].errors, ElementsAre(10, 20.5));
  db.StoreProfiles(launch, std::vector{kProfile});
  EXPECT_THAT(db.Profiles(launch), SizeIs(1));
  PhaseProfile uneven = kProfile;
  uneven.errors.pop_back();
  EXPECT_THROW(db.StoreProfiles(launch, std::vector{uneven}), Error);
}

TEST_F(Timeline, Travels) {
  db.StoreTimeline(run, ATimeline());
  db.StoreProfiles(launch, std::vector{kProfile});
  db.FinishRun(run, "2026-11-21T00:26:46Z");
  const std::string text = db.Export();
  for (const char* table : {"timeline", "timeline_window", "timeline_range", "timeline_launch", "timeline_copy",
                            "timeline_turn", "timeline_counter", "timeline_total", "phase_profile"})
    EXPECT_THAT(text, HasSubstr("INSERT INTO " + std::string(table) + "("));
  Database other = Database::OpenForRecording(scratch / "other.db");
  RecordRun(other, ARun("bbbb", "2026-11-20T00:25:46Z"), {"gather"}, {64});  // takes ids
  other.Import(text, "m.sql");
  const RunId there = other.FindRun({.run = "aaaa"}).id;
  EXPECT_EQ(other.Export({there}), text);
  EXPECT_THAT(other.Timeline(there)->launches, SizeIs(3));
  EXPECT_THAT(other.Timeline(there)->turns, SizeIs(2));
  EXPECT_EQ(other.Timeline(there)->launches[0].launch, other.Launches(there, "")[0]);
  EXPECT_THAT(other.Profiles(other.Launches(there, "")[0]), SizeIs(1));
}

// The largest timeline of a GPU, with profiles of 17 metrics for each of 100 launches.
TEST_F(Timeline, StaysSmall) {
  TimelineRecord timeline{.span_ns = 30'000'000'000, .bin_ns = 15'000'000, .windows = {{0, 30'000'000'000}}};
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(kMostTimelineEvents); ++i)
    timeline.launches.push_back({launch, 0, 7, 2'999'999 * i, 12'345, false, "step " + std::to_string(i / 100)});
  TimelineTurn turn{0, std::vector<double>(kMostTimelineBins, 14'876'543), {}};
  for (int c = 0; c < 17; ++c) {
    TimelineCounter counter{{"m" + std::to_string(c), "sampled", "", "inst", ""}, {}};
    for (std::size_t b = 0; b < kMostTimelineBins; ++b) counter.sums.emplace_back(123'456'789.0 + 1e7 * (b % 97));
    turn.counters.push_back(std::move(counter));
  }
  timeline.turns.push_back(turn);
  db.StoreTimeline(run, timeline);
  const auto size = [&] { return std::get<std::int64_t>(db.Query("PRAGMA page_count").rows[0][0]) * 4096; };
  const std::int64_t without_profiles = size();
  EXPECT_LT(without_profiles, 1'400'000);
  for (int l = 0; l < 100; ++l) {
    LaunchRecord other = ALaunch("gather");
    other.ordinal = l + 1;
    const LaunchId id = db.StoreLaunch(run, other, {});
    std::vector<PhaseProfile> profiles;
    for (const TimelineCounter& counter : turn.counters) {
      PhaseProfile& profile = profiles.emplace_back(PhaseProfile{counter.metric, 12'345.67, {0}, {}, {}});
      for (int q = 1; q <= 12; ++q) {
        profile.edges.push_back(q / 12.0);
        profile.counts.push_back(1234567 + 1e4 * q);
        profile.errors.push_back(12345 + 77.0 * q);
      }
    }
    db.StoreProfiles(id, profiles);
  }
  EXPECT_LT(size() - without_profiles, 800'000);
  RecordProperty("bytes", std::to_string(size()));
}

TEST_F(Timeline, OfAnEditedFileIsRefusedWithASentence) {
  db.StoreTimeline(run, ATimeline());
  db.StoreProfiles(launch, std::vector{kProfile});
  const auto refused = [&](const std::string& edit, const std::string& sentence) {
    RawSqlite(scratch / "m.db").Execute(edit);
    try {
      db.Timeline(run);
      db.Profiles(launch);
      ADD_FAILURE() << edit;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(sentence)) << edit;
    }
    db.StoreTimeline(run, ATimeline());
    db.StoreProfiles(launch, std::vector{kProfile});
  };
  for (const char* sums : {"[1,2,3", "[1,2,,3]", "1,2,3,4", "[1,2,3,x]", "", "[", "[1,2,3,4]]"})
    refused(std::string("UPDATE timeline_counter SET sums = '") + sums + "'", "is not a list of numbers");
  refused("UPDATE timeline_counter SET sums = '[1,2,3,inf]'", "timeline_counter.sums has inf");
  refused("UPDATE timeline_counter SET sums = '[1,2,3,-4]'", "timeline_counter.sums has -4");
  refused("UPDATE timeline_counter SET sums = '[1,2,3]'", "does not have the bins of its turn");
  refused("UPDATE timeline_turn SET covered_ns = '[1,2,3,null]'", "timeline_turn.covered_ns has null");
  refused("UPDATE timeline_launch SET range_number = 5", "timeline_launch.range_number is 5");
  refused("UPDATE phase_profile SET edges = '[0,1]'", "phase_profile.edges");
  refused("UPDATE phase_profile SET edges = '[0,2,1]'", "phase_profile.edges");
}

}  // namespace
}  // namespace culprit
