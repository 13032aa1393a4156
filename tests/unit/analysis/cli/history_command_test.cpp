// SPDX-License-Identifier: Apache-2.0
// `culprit history` on databases of which a part is damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/run_command.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HistoryCommand : public ::testing::Test {
 protected:
  HistoryCommand() {
    Database db = Database::OpenForRecording(file);
    int day = 0;
    for (const char* label : {"first", "second", "third"}) {
      ++day;
      RecordRun(
          db,
          ARun(std::string(4, static_cast<char>('a' + day)), "2026-11-2" + std::to_string(day) + "T00:00:00Z", label),
          {"v1_6"}, {512});
    }
  }
  testing::Result History() const { return testing::RunCommand({"history", "v1_6", "--db", file.string()}); }

  Scratch scratch;
  std::filesystem::path file = scratch / "m.db";
};

TEST_F(HistoryCommand, ADamagedRunHidesNoOther) {
  RawSqlite(file).Execute(
      "UPDATE sample SET time_us = 2 * time_us WHERE launch_id IN (SELECT id FROM launch WHERE run_id = 2)");
  const testing::Result result = History();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("first "));
  EXPECT_THAT(result.out, HasSubstr("third "));
  EXPECT_THAT(result.out, HasSubstr("1 run is left out ('second'): it is damaged; 'culprit runs' says why."));
}

TEST_F(HistoryCommand, ARunThatCannotBeReadHidesNoOther) {
  RawSqlite(file).Execute(
      "INSERT INTO machine_figure(run_id, name, setting, value, unit, measured_in) VALUES (2, 'l2_bytes', 0, 1e200, "
      "'byte/SM/cycle', 'bbbb')");
  const testing::Result result = History();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("third "));
  EXPECT_THAT(result.out, HasSubstr("1 run is damaged and left out; 'culprit runs' says why."));
}

// The sum of a run takes all its rows.
TEST_F(HistoryCommand, LooksAtNoRunThatItDoesNotShow) {
  {
    Database db = Database::OpenForRecording(file);
    RecordRun(db, ARun("eeee", "2026-11-24T00:00:00Z"), {"v1_6"}, {512});
  }
  RawSqlite(file).Execute(
      "UPDATE sample SET time_us = 2 * time_us WHERE launch_id IN (SELECT id FROM launch WHERE run_id = 4)");
  const testing::Result result = testing::RunCommand({"history", "v1_6@third", "--db", file.string()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("it has no label"));
  EXPECT_THAT(result.out, Not(HasSubstr("damaged")));
}

// What `record` of other tools leaves, or a migration.
TEST(EmptyDatabase, IsSaidToBeEmptyByWhateverLooksForAStage) {
  Scratch scratch;
  const auto file = scratch / "m.db";
  Database::OpenForRecording(file);
  const testing::Result report = testing::RunCommand({"report", "--db", file.string()});
  EXPECT_EQ(report.status, 2);
  EXPECT_EQ(testing::RunCommand({"show", "x", "--db", file.string()}).err, report.err);
}

TEST_F(HistoryCommand, AnAtWithoutARunIsRefused) {
  const testing::Result result = testing::RunCommand({"history", "v1_6@", "--db", file.string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("'v1_6@' names no run behind its @"));
}

TEST_F(HistoryCommand, AReportCountsTheRunsOfTheGpuThatWasNamed) {
  {
    Database db = Database::OpenForRecording(file);
    RunRecord other = ARun("eeee", "2026-11-20T00:00:00Z", "other");
    other.device = AGpu("Other GPU");
    RecordRun(db, other, {"v1_6"}, {512});
  }
  EXPECT_THAT(testing::RunCommand({"report", "--gpu", "h100", "--db", file.string()}).out,
              HasSubstr("This is the newest of 3 runs on a GPU that is called 'h100'"));
  EXPECT_THAT(testing::RunCommand({"report", "--gpu", "other", "--db", file.string()}).out,
              Not(HasSubstr("This is the newest")));
}

TEST_F(HistoryCommand, WhyNamesTheRunThatHasCountersWhereTheNewestHasNone) {
  {
    Database db = Database::OpenForRecording(file);
    RecordRun(db, ARun("ffff", "2026-11-24T00:00:00Z"), {"v1_6", "v1_7"}, {512});
    RunRecord last = ARun("eeee", "2026-11-25T00:00:00Z");
    last.profile = "none";
    const RunId id = db.BeginRun(last);
    for (const char* stage : {"v1_6", "v1_7"}) {
      db.StoreStage(id, AStage(stage), {});
      db.StoreLaunch(id, ALaunch(stage, 512), Samples({100, 101, 99, 100, 101, 99, 100}));
    }
    db.FinishRun(id);
  }
  const auto why = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "why");
    words.insert(words.end(), {"--db", file.string()});
    return testing::RunCommand(words).out;
  };
  EXPECT_THAT(why({"v1_6", "v1_7"}),
              HasSubstr("Run ffff0000 has counters of both: culprit why v1_6@ffff0000 v1_7@ffff0000."));
  EXPECT_THAT(why({"v1_6@eeee", "v1_7@eeee"}), Not(HasSubstr("has counters of both")));
}

}  // namespace
}  // namespace culprit
