// SPDX-License-Identifier: Apache-2.0
// Launches from whoever has them: no GPU, no benchmark.
#include "bench/run_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/child_process.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RunWriter, NumbersTheLaunchesOfAStageAtAShape) {
  const Scratch scratch;
  {
    RunWriter writer(scratch / "m.db", ARun("aaaa"));
    writer.StoreStage(AStage("axpy"), {});
    writer.StoreStage(AStage("dot"), {});
    const StoredLaunch first = writer.StoreLaunch(ALaunch("axpy", 1024), Samples({3}));
    const StoredLaunch second = writer.StoreLaunch(ALaunch("axpy", 1024), Samples({5, 7}));
    writer.StoreLaunch(ALaunch("axpy", 2048), Samples({9}));
    writer.StoreLaunch(ALaunch("dot", 1024), Samples({11}));
    writer.StoreReadings(second, std::vector{AReading("inst_issued", 2)});
    writer.StoreReadings(first, std::vector{AReading("inst_issued", 1)});
    writer.Finish();
  }
  const Database db = Database::OpenForReading(scratch / "m.db");
  std::vector<std::string> launches;
  for (const auto& row :
       db.Query(
             "SELECT stage || ' ' || shape || ' ' || ordinal || ' ' || samples FROM kernel_summary ORDER BY launch_id")
           .rows)
    launches.push_back(std::get<std::string>(row[0]));
  EXPECT_THAT(launches, ElementsAre("axpy 1024x1024x1024 0 1", "axpy 1024x1024x1024 1 2", "axpy 2048x2048x2048 0 1",
                                    "dot 1024x1024x1024 0 1"));
  EXPECT_EQ(db.FindKernel("axpy", {.shape = "1024"}).readings.at(0).value, 1);
}

TEST(RunWriter, StoresALaunchAgainWithWhatCameLater) {
  const Scratch scratch;
  {
    RunWriter writer(scratch / "m.db", ARun("aaaa"));
    writer.StoreStage(AStage("axpy"), {});
    writer.StoreLaunch(ALaunch("axpy", 1024), Samples({3}));
    writer.StoreLaunch(ALaunch("axpy", 1024), Samples({5}));
    std::vector<Sample> more = Samples({5, 7});
    more[1].process = 4;
    LaunchRecord failed = ALaunch("axpy", 1024);
    failed.state = LaunchState::kFailed;
    writer.StoreAgain(failed, more);
    writer.Finish();
  }
  const Database db = Database::OpenForReading(scratch / "m.db");
  std::vector<KernelRecord> launches;
  for (const auto& row : db.Query("SELECT id FROM launch ORDER BY ordinal").rows)
    launches.push_back(db.LoadKernel(std::get<std::int64_t>(row[0])));
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].samples.size(), 1u) << "the one before stays";
  EXPECT_EQ(launches[1].launch.ordinal, 1);
  EXPECT_EQ(launches[1].launch.state, LaunchState::kFailed);
  ASSERT_EQ(launches[1].samples.size(), 2u);
  EXPECT_EQ(launches[1].samples[0].process, 0);
  EXPECT_EQ(launches[1].samples[1].process, 4);
}

TEST(RunWriter, StoresAStageOnce) {
  const Scratch scratch;
  RunWriter writer(scratch / "m.db", ARun("aaaa"));
  writer.StoreStage(AStage("axpy"), std::vector{ABuild("axpy", 32)});
  writer.StoreStage(AStage("axpy"), std::vector{ABuild("axpy", 64)});
  EXPECT_EQ(Database::OpenForReading(scratch / "m.db").Builds(1).at(0).attributes.at(0).value, 32);
}

TEST(RunWriter, RefusesALaunchOfAStageThatWasNotStored) {
  const Scratch scratch;
  RunWriter writer(scratch / "m.db", ARun("aaaa"));
  EXPECT_THAT(ComplaintOf([&] { writer.StoreLaunch(ALaunch("axpy")); }), HasSubstr("store the stage in run 1 first"));
  writer.StoreStage(AStage("axpy"), {});
  writer.StoreLaunch(ALaunch("axpy"));
  EXPECT_EQ(Database::OpenForReading(scratch / "m.db").FindKernel("axpy", {}).launch.ordinal, 0);
}

TEST(RunWriter, StoresEachWarningOnceWithItsLaunch) {
  const Scratch scratch;
  RunWriter writer(scratch / "m.db", ARun("aaaa"));
  writer.StoreStage(AStage("axpy"), {});
  writer.StoreLaunch(ALaunch("axpy", 1024));
  const StoredLaunch second = writer.StoreLaunch(ALaunch("axpy", 1024));
  for (int i = 0; i < 2; ++i) {
    writer.Warn({"low_clock", "it ran slowly"}, "axpy", second);
    writer.Warn({"no_device", "there is none"});
  }
  const auto warnings = Database::OpenForReading(scratch / "m.db").Warnings(1);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].launch, "axpy at 1024x1024x1024, launch 2");
  EXPECT_EQ(warnings[1].launch, "");
}

TEST(RunWriter, StoresAWarningForEachLaunchThatItConcernsAndPrintsItOnce) {
  const Scratch scratch;
  RunWriter writer(scratch / "m.db", ARun("aaaa"));
  writer.StoreStage(AStage("axpy"), {});
  const StoredLaunch first = writer.StoreLaunch(ALaunch("axpy", 1024));
  const StoredLaunch second = writer.StoreLaunch(ALaunch("axpy", 1024));
  ::testing::internal::CaptureStderr();
  for (const StoredLaunch& launch : {first, second, second})
    writer.Warn({"low_clock", "it ran slowly"}, "axpy", launch);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "culprit: warning: axpy: it ran slowly\n");
  const auto warnings = Database::OpenForReading(scratch / "m.db").Warnings(1);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].launch, "axpy at 1024x1024x1024");
  EXPECT_EQ(warnings[1].launch, "axpy at 1024x1024x1024, launch 2");
}

TEST(RunWriter, WithoutADatabaseDoesNothing) {
  RunWriter writer;
  writer.StoreStage(AStage("axpy"), {});
  const StoredLaunch none = writer.StoreLaunch(ALaunch("axpy"), Samples({3}));
  EXPECT_FALSE(none);
  writer.StoreReadings(none, std::vector{AReading("inst_issued", 1)});
  writer.StoreRepetitions(none, {});
  writer.StoreInstructions(none, {});
  writer.Finish();
}

TEST(RunWriter, KeepsWhatWasStoredWhenItsProcessIsKilled) {
  const Scratch scratch;
  BackgroundChild child([&](int report) {
    RunWriter writer(scratch / "m.db", ARun("aaaa"));
    writer.StoreStage(AStage("axpy"), {});
    writer.StoreLaunch(ALaunch("axpy", 1024), Samples({3}));
    writer.StoreLaunch(ALaunch("axpy", 1024), Samples({5}));
    if (write(report, ".", 1) != 1) return;
    pause();
  });
  ASSERT_TRUE(child.WaitForReport());
  child.Kill();
  const Database db = Database::OpenForReading(scratch / "m.db");
  EXPECT_EQ(db.FindRun({}).state, "interrupted");
  EXPECT_EQ(db.FindRun({}).launches, 2);
}

}  // namespace
}  // namespace culprit
