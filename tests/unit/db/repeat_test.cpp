// SPDX-License-Identifier: Apache-2.0
// What repeated collection stored of a launch, and what becomes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "db/database.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class Repeat : public testing::Test {
 protected:
  Repeat() {
    run = db.BeginRun(ARun("aaaa"));
    db.StoreStage(run, AStage("v1_7"), {});
    launch = db.StoreLaunch(run, ALaunch("v1_7"), Samples({1.0}));
    db.StoreReadings(launch, std::vector{AReading("inst", 7), AReading("cycles", 101)});
  }

  using Repetitions = std::vector<std::vector<Reading>>;
  const Repetitions kThree{{AReading("inst", 7), AReading("cycles", 102)},
                           {AReading("inst", 7), AReading("cycles", 100)},
                           {AReading("inst", 7), AReading("cycles", 101)}};

  std::int64_t Rows() { return std::get<std::int64_t>(db.Query("SELECT count(*) FROM metric_repeat").rows[0][0]); }

  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  RunId run = 0;
  LaunchId launch = 0;
};

TEST_F(Repeat, GivesBackEachValueInTheOrderOfCollection) {
  db.StoreRepeats(launch, kThree);
  EXPECT_THAT(db.LoadKernel(launch).repeats,
              ElementsAre(Pair("cycles", ElementsAre(102, 100, 101)), Pair("inst", ElementsAre(7, 7, 7))));
  EXPECT_EQ(db.FindKernel("v1_7", {}).repeats, db.LoadKernel(launch).repeats);
  EXPECT_EQ(db.LoadKernel(launch).readings.size(), 2u);
}

TEST_F(Repeat, IsEmptyForALaunchThatWasCollectedOnce) {
  EXPECT_THAT(db.LoadKernel(launch).repeats, IsEmpty());
  db.StoreRepeats(launch, Repetitions{kThree[0]});
  EXPECT_THAT(db.LoadKernel(launch).repeats, IsEmpty());
  EXPECT_EQ(Rows(), 0);
}

TEST_F(Repeat, LeavesOutAMetricThatOneRepetitionDidNotReadAndKeepsItsValuesInTheFile) {
  Repetitions repetitions = kThree;
  repetitions[1][1] = NotMeasured("cycles", ReadingStatus::kFailed);
  repetitions[2].push_back(AReading("ratio", std::nan("")));
  db.StoreRepeats(launch, repetitions);
  EXPECT_THAT(db.LoadKernel(launch).repeats, ElementsAre(Pair("inst", ElementsAre(7, 7, 7))));
  const Table cycles = db.Query(
      "SELECT repetition, value FROM metric_repeat JOIN metric ON metric.id = metric_id WHERE key = 'cycles' "
      "ORDER BY repetition");
  ASSERT_EQ(cycles.rows.size(), 2u);
  EXPECT_EQ(std::get<std::int64_t>(cycles.rows[1][0]), 2);
  EXPECT_EQ(std::get<double>(cycles.rows[1][1]), 101);
}

TEST_F(Repeat, DoesNotCountARepetitionThatReadNothing) {
  Repetitions repetitions = kThree;
  for (Reading& reading : repetitions[1]) reading = NotMeasured(reading.metric.id, ReadingStatus::kDenied);
  db.StoreRepeats(launch, repetitions);
  EXPECT_THAT(db.LoadKernel(launch).repeats,
              ElementsAre(Pair("cycles", ElementsAre(102, 101)), Pair("inst", ElementsAre(7, 7))));
}

TEST_F(Repeat, KeepsAMeasuredZero) {
  db.StoreRepeats(launch, Repetitions{{AReading("spills", 0)}, {AReading("spills", 0)}});
  EXPECT_THAT(db.LoadKernel(launch).repeats, ElementsAre(Pair("spills", ElementsAre(0, 0))));
}

TEST_F(Repeat, IsReplacedAsAWhole) {
  db.StoreRepeats(launch, kThree);
  db.StoreRepeats(launch, Repetitions{{AReading("inst", 8)}, {AReading("inst", 9)}});
  EXPECT_THAT(db.LoadKernel(launch).repeats, ElementsAre(Pair("inst", ElementsAre(8, 9))));
}

TEST_F(Repeat, GoesWithALaunchThatIsStoredAgain) {
  db.StoreRepeats(launch, kThree);
  const LaunchId again = db.StoreLaunch(run, ALaunch("v1_7"), Samples({2.0}));
  EXPECT_THAT(db.LoadKernel(again).repeats, IsEmpty());
  EXPECT_EQ(Rows(), 0);
}

TEST_F(Repeat, GoesWithAReadingThatIsReplacedAndStaysWithTheOthers) {
  db.StoreRepeats(launch, kThree);
  Reading renamed = AReading("cycles", 500);
  renamed.metric.cupti_name = "sm__cycles_elapsed.max";
  db.StoreReadings(launch, {&renamed, 1});
  EXPECT_THAT(db.LoadKernel(launch).repeats, ElementsAre(Pair("inst", ElementsAre(7, 7, 7))));
}

TEST_F(Repeat, TravelsWithItsRun) {
  db.StoreRepeats(launch, kThree);
  db.FinishRun(run);
  Database copy = Database::OpenForRecording(scratch / "copy.db");
  RecordRun(copy, ARun("bbbb", "2026-01-01T00:00:00Z"), {"v1_6", "v1_7"}, {1024});  // ids differ on the other side
  EXPECT_EQ(copy.Import(db.Export(), "m.sql").runs_added, 1);
  EXPECT_EQ(copy.FindKernel("v1_7", {.run = "aaaa"}).repeats, db.LoadKernel(launch).repeats);
  EXPECT_EQ(copy.FindKernel("v1_7", {.run = "aaaa"}).repeats.size(), 2u);
  EXPECT_THAT(copy.FindKernel("v1_7", {.run = "bbbb"}).repeats, IsEmpty());
}

TEST_F(Repeat, TravelsWithAMetricThatHasNoReading) {
  db.StoreRepeats(launch, Repetitions{{AReading("alone", 1)}, {AReading("alone", 2)}});
  Database copy = Database::OpenForRecording(scratch / "copy.db");
  copy.Import(db.Export(), "m.sql");
  EXPECT_THAT(copy.FindKernel("v1_7", {}).repeats, ElementsAre(Pair("alone", ElementsAre(1, 2))));
}

TEST_F(Repeat, IsRefusedForALaunchThatIsNotThere) {
  EXPECT_THAT(ComplaintOf([&] { db.StoreRepeats(77, kThree); }), HasSubstr("there is no launch 77"));
}

TEST_F(Repeat, IsRefusedAsAWholeWhereAStatusContradictsItsValue) {
  Repetitions repetitions = kThree;
  repetitions[2][0].status = ReadingStatus::kDenied;
  EXPECT_THAT(ComplaintOf([&] { db.StoreRepeats(launch, repetitions); }), HasSubstr("'denied' with a value"));
  EXPECT_EQ(Rows(), 0);
  db.StoreRepeats(launch, kThree);
  EXPECT_EQ(db.LoadKernel(launch).repeats.size(), 2u);
}

}  // namespace
}  // namespace culprit
