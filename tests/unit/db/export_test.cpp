// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "db/database.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Any finite or infinite double, near and far from round numbers; many are stored as failed readings.
rc::Gen<double> AnyNumber() {
  return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) {
    const double number =
        bits % 3 == 0 ? std::bit_cast<double>(bits) : static_cast<double>(bits % 100'000'007) / 1000.0;
    return std::isnan(number) ? 0.5 : number;
  });
}

rc::Gen<std::string> AnyText() {
  return rc::gen::container<std::string>(
      rc::gen::element('a', 'B', '7', ' ', '\'', '"', ';', '-', '\n', '\\', '(', ')', ',', '%', '\t', '\xc3'));
}

Reading AnyReading(int number) {
  if (*rc::gen::inRange(0, 4) == 0)
    return NotMeasured(fmt::format("metric_{}", number),
                       *rc::gen::element(ReadingStatus::kDenied, ReadingStatus::kUnsupported));
  return AReading(fmt::format("metric_{}", number), *AnyNumber());
}

void RecordAnything(Database& db) {
  const int runs = *rc::gen::inRange(0, 4);
  for (int r = 0; r < runs; ++r) {
    RunRecord record = ARun(fmt::format("{:04d}", *rc::gen::inRange(0, 100) * 10 + r),
                            fmt::format("2026-01-{:02}T00:00:00Z", *rc::gen::inRange(1, 5)), *AnyText());
    if (*rc::gen::arbitrary<bool>()) record.device->sm_clock_mhz = *rc::gen::element(1755.0, 1980.5);
    if (*rc::gen::inRange(0, 5) == 0) record.device.reset();
    const RunId run = db.BeginRun(record);
    const int stages = *rc::gen::inRange(0, 4);
    for (int s = 0; s < stages; ++s) {
      StageRecord stage = AStage(*rc::gen::element<std::string>("v2", "v1_7", "v1_6", "v0"), "v2");
      if (*rc::gen::arbitrary<bool>()) stage.factors[*AnyText()] = *AnyText();
      const BuildRecord build = ABuild(stage.id, *rc::gen::inRange(1, 255));
      db.StoreStage(run, stage, std::span(&build, *rc::gen::inRange(0, 2)));
      const int launches = *rc::gen::inRange(0, 3);
      for (int l = 0; l < launches; ++l) {
        const LaunchId launch = db.StoreLaunch(run, ALaunch(stage.id, *rc::gen::element(512, 1024)),
                                               Samples({std::clamp(std::abs(*AnyNumber()), 1e-3, 1e10), 2.5}));
        std::vector<Reading> readings;
        for (int m = 0; m < *rc::gen::inRange(0, 5); ++m) readings.push_back(AnyReading(m));
        db.StoreReadings(launch, readings);
        if (*rc::gen::arbitrary<bool>()) db.StoreWarning(run, launch, {"code", *AnyText()});
      }
    }
    if (*rc::gen::arbitrary<bool>()) db.FinishRun(run);
  }
}

RC_GTEST_PROP(Export, ImportedIntoAnEmptyFileIsExportedAsTheSameText, ()) {
  const Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  RecordAnything(db);
  const std::string text = db.Export();
  Database copy = Database::OpenForRecording(scratch / "copy.db");
  const auto result = copy.Import(text, "m.sql");
  RC_ASSERT(result.runs_added == static_cast<int>(db.Runs().size()));
  RC_ASSERT(copy.Export() == text);
  RC_ASSERT(copy.Import(text, "m.sql").runs_added == 0);
  RC_ASSERT(copy.Export() == text);
}

RC_GTEST_PROP(Export, ImportedInPartsInAnyOrderIsExportedAsTheSameText, ()) {
  const Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  RecordAnything(db);
  Database copy = Database::OpenForRecording(scratch / "copy.db");
  for (const RunSummary& run : db.Runs()) copy.Import(db.Export({run.id}), "part.sql");  // newest first
  RC_ASSERT(copy.Export() == db.Export());
}

class ExportedText : public testing::Test {
 protected:
  Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
};

TEST_F(ExportedText, SaysWhatItIs) {
  RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
  const std::string text = db.Export();
  EXPECT_THAT(text, StartsWith("-- culprit export, schema "));
  EXPECT_THAT(text, HasSubstr("made by culprit "));
  EXPECT_TRUE(text.ends_with("COMMIT;\n"));
}

TEST_F(ExportedText, DoesNotDependOnTheOrderOfStoring) {
  Database other = Database::OpenForRecording(scratch / "other.db");
  const RunRecord a = ARun("aaaa", "2026-01-01T00:00:00Z"), b = ARun("bbbb", "2026-02-01T00:00:00Z");
  RecordRun(db, a, {"v1_7"}, {1024}, false);
  RecordRun(db, b, {"v1_6"}, {2048}, false);
  RecordRun(other, b, {"v1_6"}, {2048}, false);
  RecordRun(other, a, {"v1_7"}, {1024}, false);
  EXPECT_EQ(db.Export(), other.Export());
}

TEST_F(ExportedText, OnlyGrowsWhenALaterRunIsAdded) {
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_7"}, {1024});
  std::string before = db.Export();
  RecordRun(db, ARun("bbbb", "2026-02-01T00:00:00Z"), {"v1_7", "v1_6"}, {1024});
  before.resize(before.size() - std::string("COMMIT;\n").size());
  EXPECT_THAT(db.Export(), StartsWith(before));
}

TEST_F(ExportedText, IsReadableByPlainSqlite) {
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z", "it's; -- \"quoted\"\nand broken"), {"v1_7", "v1_6"},
            {1024, 2048});
  { Database::OpenForRecording(scratch / "plain.db"); }
  RawSqlite plain(scratch / "plain.db");
  plain.Execute("PRAGMA foreign_keys = ON");
  plain.Execute(db.Export());
  EXPECT_EQ(plain.Text("SELECT count(*) FROM metric_value"), "8");
  EXPECT_EQ(Database::OpenForReading(scratch / "plain.db").Export(), db.Export());
}

TEST_F(ExportedText, HoldsOneValuePerLineInFewestDigits) {
  const RunId run = RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
  db.StoreReadings(
      1, std::vector{AReading("third", 1.0 / 3), AReading("tenth", 0.1), AReading("large", 1e29),
                     AReading("infinite", std::numeric_limits<double>::infinity()), AReading("tiny", 5e-324)});
  const std::string text = db.Export({run});
  for (const char* number : {",0.3333333333333333,'ok',NULL)", ",0.1,'ok',NULL)", ",1e+29,'ok',NULL)",
                             ",NULL,'failed',NULL)", ",5e-324,'ok',NULL)"})
    EXPECT_THAT(text, HasSubstr(number));
}

TEST_F(ExportedText, LeavesOutWhichProcessRecorded) {
  db.BeginRun(ARun("aaaa"));
  for (const char* column : {"boot_id", "pid", "process_start"}) EXPECT_THAT(db.Export(), Not(HasSubstr(column)));
}

TEST_F(ExportedText, HoldsOnlyTheRunsThatWereNamed) {
  RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_7"}, {1024});
  const RunId second = RecordRun(db, ARun("bbbb", "2026-02-01T00:00:00Z"), {"v1_6"}, {1024});
  EXPECT_THAT(db.Export({second}),
              testing::AllOf(HasSubstr("bbbb0000"), Not(HasSubstr("aaaa0000")), Not(HasSubstr("v1_7"))));
  EXPECT_THAT(ComplaintOf([&] { db.Export({7}); }), HasSubstr("there is no run 7"));
}

}  // namespace
}  // namespace culprit
