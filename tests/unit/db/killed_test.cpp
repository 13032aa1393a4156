// SPDX-License-Identifier: Apache-2.0
// kill -9 at any moment: at most the call in flight is lost, what is there is whole, and the run is shown as
// interrupted.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "db/database.h"
#include "tests/support/child_process.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

constexpr int kSamples = 20;
constexpr int kReadings = 60;

// Says after each call that it has returned: 'L' for a launch, 'R' for its readings.
void RecordForever(const std::filesystem::path& file, int round, int report) {
  Database db = Database::OpenForRecording(file);
  const RunId run = db.BeginRun(ARun(fmt::format("{:04d}", round)));
  db.StoreStage(run, AStage("v1_7"), {});
  std::vector<Reading> readings;
  for (int i = 0; i < kReadings; ++i) readings.push_back(AReading(fmt::format("metric_{}", i), i));
  const std::vector<Sample> samples(kSamples, Sample{0, 1.5, 1980.0, false});
  for (int extent = 1;; ++extent) {
    const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7", extent), samples);
    if (write(report, "L", 1) != 1) return;
    db.StoreReadings(launch, readings);
    if (write(report, "R", 1) != 1) return;
  }
}

TEST(Killed, LosesAtMostTheCallInFlightAndIsShownAsInterrupted) {
  const Scratch scratch;
  const auto file = scratch / "m.db";
  std::minstd_rand random(20261121);
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    BackgroundChild child([&](int report) { RecordForever(file, round, report); });
    ASSERT_TRUE(child.WaitForReport());
    std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 60'000));
    EXPECT_EQ(Database::OpenForReading(file).Runs()[0].state, "running");
    child.Kill();
    const std::string reported = child.Reports();

    const Database db = Database::OpenForReading(file);
    EXPECT_EQ(std::get<std::string>(db.Query("PRAGMA integrity_check").rows.at(0).at(0)), "ok");
    EXPECT_TRUE(db.Query("PRAGMA foreign_key_check").rows.empty());
    const auto runs = db.Runs();
    ASSERT_EQ(runs.size(), static_cast<std::size_t>(round + 1));
    const RunSummary run = db.FindRun({.run = fmt::format("{:04d}", round)});
    EXPECT_EQ(run.state, "interrupted");

    const auto launches = std::count(reported.begin(), reported.end(), 'L');
    const auto with_readings = std::count(reported.begin(), reported.end(), 'R');
    EXPECT_GE(run.launches, launches);
    EXPECT_LE(run.launches, launches + 1);
    EXPECT_EQ(run.samples, run.launches * kSamples);
    EXPECT_EQ(run.metric_values % kReadings, 0);
    EXPECT_GE(run.metric_values / kReadings, with_readings);
    EXPECT_LE(run.metric_values / kReadings, with_readings + 1);
    EXPECT_TRUE(db.Query("SELECT id FROM launch WHERE (SELECT count(*) FROM sample WHERE launch_id = launch.id) <> 20 "
                         "OR (SELECT count(*) FROM metric_value WHERE launch_id = launch.id) NOT IN (0, 60)")
                    .rows.empty());
  }
}

TEST(Killed, WhileTheFileIsMadeLeavesOneThatCanBeRecordedInto) {
  const Scratch scratch;
  std::minstd_rand random(7);
  for (int round = 0; round < 12; ++round) {
    const auto file = scratch / fmt::format("{}.db", round);
    BackgroundChild child([&](int report) {
      if (write(report, ".", 1) == 1) Database::OpenForRecording(file);
    });
    ASSERT_TRUE(child.WaitForReport());
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 12'000));
    child.Kill();
    Database db = Database::OpenForRecording(file);
    RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
    EXPECT_EQ(std::get<std::string>(db.Query("PRAGMA integrity_check").rows.at(0).at(0)), "ok");
  }
}

}  // namespace
}  // namespace culprit
