// SPDX-License-Identifier: Apache-2.0
#include "db/checksum.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "db/sql_files.h"
#include "db/travel.h"
#include "tests/support/counted_work.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNot = "is not what was recorded";

class Checksum : public ::testing::Test {
 protected:
  void Record(const std::string& uuid, const std::string& started_utc, const std::string& label, bool finish = true) {
    Database db = Database::OpenForRecording(file);
    RecordRun(db, ARun(uuid, started_utc, label), {"v1_7", "v1_6"}, {512, 1024}, finish);
  }
  Database Opened() const { return Database::OpenForReading(file); }
  std::string ComplaintOfReading(const Selector& selector = {}) const {
    return ComplaintOf([&] { Opened().FindKernel("v1_6", selector); });
  }

  Scratch scratch;
  std::filesystem::path file = scratch / "m.db";
};

TEST_F(Checksum, ARunThatWasChangedIsNotRead) {
  Record("aaaa", "2026-11-21T00:00:00Z", "base");
  EXPECT_EQ(ComplaintOfReading(), "");
  RawSqlite(file).Execute("UPDATE sample SET time_us = 2 * time_us WHERE launch_id = 1 AND seq = 0");
  EXPECT_THAT(ComplaintOfReading(), AllOf(HasSubstr("run 1 (aaaa"), HasSubstr(kNot), HasSubstr("Import an export")));
  EXPECT_THAT(ComplaintOf([&] { Opened().LoadKernels(1); }), HasSubstr(kNot));
  EXPECT_THAT(ComplaintOf([&] { Opened().Stages(1); }), HasSubstr(kNot));
  EXPECT_THAT(ComplaintOf([&] { Opened().Sampling(1); }), HasSubstr(kNot));
  EXPECT_THAT(ComplaintOf([&] { Opened().Instructions(1); }), HasSubstr(kNot));
  EXPECT_THAT(ComplaintOf([&] { Opened().Export(); }), HasSubstr(kNot));
  EXPECT_THAT(Opened().ListRuns().front().damage, HasSubstr("checksum"));
}

TEST_F(Checksum, ARunThatDoesNotEndHasNone) {
  Record("aaaa", "2026-11-21T00:00:00Z", "", false);
  RawSqlite raw(file);
  EXPECT_EQ(raw.Text("SELECT count(*) FROM run_checksum"), "0");
  raw.Execute("UPDATE sample SET time_us = 2 * time_us");
  EXPECT_EQ(ComplaintOfReading(), "");
}

TEST_F(Checksum, NoneIsChosenWhereAChangedOneMightBeMeant) {
  Record("aaaa", "2026-11-21T00:00:00Z", "base");
  Record("bbbb", "2026-11-22T00:00:00Z", "change");
  RawSqlite(file).Execute("UPDATE run SET started_utc = '2022-11-22T00:00:00Z' WHERE id = 2");
  EXPECT_THAT(ComplaintOfReading(), HasSubstr("run 2 (bbbb"));
  EXPECT_THAT(ComplaintOfReading({.run = "base"}), HasSubstr("run 2 (bbbb")) << "it may have lost this label";
  EXPECT_THAT(ComplaintOf([&] { Opened().Runs(); }), HasSubstr(kNot));
  EXPECT_EQ(ComplaintOfReading({.run = "1"}), "");
  EXPECT_EQ(ComplaintOfReading({.run = "aaaa"}), "");
  EXPECT_THAT(ComplaintOfReading({.run = "bbbb"}), HasSubstr(kNot));
}

TEST_F(Checksum, NoneIsChosenPastOneThatCannotBeRead) {
  Record("aaaa", "2026-11-21T00:00:00Z", "base");
  Record("bbbb", "2026-11-22T00:00:00Z", "change");
  EXPECT_EQ(Opened().RunsToChooseFrom().size(), 2U);
  RawSqlite(file).Execute(
      "INSERT INTO machine_figure(run_id, name, setting, value, unit, measured_in) VALUES (2, 'l2_bytes', 0, 1e200, "
      "'byte/SM/cycle', 'bbbb')");
  EXPECT_EQ(Opened().Runs().size(), 1U);
  EXPECT_EQ(Opened().CountRuns(), 2U);
  EXPECT_THAT(ComplaintOf([&] { Opened().RunsToChooseFrom(); }), AllOf(HasSubstr("run bbbb"), HasSubstr("damaged")));
}

TEST_F(Checksum, AChangedRunThatIsNotChosenIsInNobodysWay) {
  Record("aaaa", "2026-11-21T00:00:00Z", "base");
  Record("bbbb", "2026-11-22T00:00:00Z", "change");
  RawSqlite(file).Execute(
      "UPDATE sample SET time_us = 2 * time_us WHERE launch_id = (SELECT min(id) FROM launch WHERE run_id = 1)");
  EXPECT_EQ(ComplaintOfReading(), "");
  EXPECT_THAT(ComplaintOfReading({.run = "base"}), HasSubstr(kNot));
  const std::vector<ListedRun> runs = Opened().ListRuns();
  EXPECT_EQ(runs[0].damage, "");
  EXPECT_THAT(runs[1].damage, HasSubstr("checksum"));
}

// An index has copies of what its table has, and whoever looks for a launch reads those.
TEST_F(Checksum, NoCopyOfAShapeCanBeChangedUnseen) {
  Record("aaaa", "2026-11-21T00:00:00Z", "base");
  const std::string bytes = Bytes(file), shape = "512x512x512";
  int copies = 0;
  for (auto at = bytes.find(shape); at != bytes.npos; at = bytes.find(shape, at + 1)) {
    ++copies;
    std::string changed = bytes;
    changed[at] = '4';
    Write(file, changed);
    EXPECT_NE(ComplaintOf([&] { Opened().LoadKernels(1); }), "") << "at byte " << at;
  }
  EXPECT_EQ(copies, 6) << "two launches, in the table, its key and the index of stages";
}

// The file is the user's: an index of theirs may have a few rows alone, or what no column is.
TEST_F(Checksum, AnIndexThatAUserAddedIsInNobodysWay) {
  Record("aaaa", "2026-11-21T00:00:00Z", "base");
  RawSqlite raw(file);
  raw.Execute("CREATE INDEX mine ON launch (kernel) WHERE state = 'failed'");
  raw.Execute("CREATE INDEX longer ON launch (shape || kernel)");
  raw.Execute("CREATE INDEX other ON launch (kernel)");
  EXPECT_EQ(ComplaintOfReading(), "");
  EXPECT_EQ(Opened().ListRuns().front().damage, "");
  const culprit::testing::CountedWork work;
  EXPECT_EQ(ComplaintOfReading(), "");
  EXPECT_EQ(work.Begun("INDEXED BY \"launch_by_stage\""), 1);
  EXPECT_EQ(work.Begun("INDEXED BY \"mine\""), 0);
  EXPECT_EQ(work.Begun("INDEXED BY \"longer\""), 0);
  EXPECT_EQ(work.Begun("INDEXED BY \"other\""), 0);
}

TEST_F(Checksum, ARunIsNotImportedOntoDamagedRowsThatItShares) {
  Record("aaaa", "2026-11-21T00:00:00Z", "base");
  RawSqlite(file).Execute("DELETE FROM stage_factor");
  const std::filesystem::path second = scratch / "second.db";
  Database other = Database::OpenForRecording(second);
  RecordRun(other, ARun("bbbb", "2026-11-22T00:00:00Z"), {"v1_6"}, {512});
  const std::string text = other.Export();
  Database db = Database::OpenForRecording(file);
  EXPECT_THAT(ComplaintOf([&] { db.Import(text, "m.sql"); }),
              AllOf(HasSubstr("run bbbb"), HasSubstr("would be damaged"), HasSubstr("run aaaa"),
                    HasSubstr("nothing was imported")));
  EXPECT_EQ(db.CountRuns(), 1U);
}

TEST_F(Checksum, ADamagedRunIsLeftOutByItsUuid) {
  Record("aaaa", "2026-11-21T00:00:00Z", "base");
  Record("bbbb", "2026-11-22T00:00:00Z", "change");
  RawSqlite(file).Execute("UPDATE run SET label = 'else' WHERE id = 2");
  EXPECT_THAT(ComplaintOfReading(), HasSubstr("'culprit export --run UUID' takes them"));
  EXPECT_EQ(ComplaintOf([&] { Opened().Export({Opened().RunsNamed("aaaa").front().id}); }), "");
}

TEST_F(Checksum, TravelsWithTheRun) {
  Record("bbbb", "2026-11-22T00:00:00Z", "change");
  const std::string text = Opened().Export();
  EXPECT_THAT(text, HasSubstr("INSERT INTO run_checksum"));
  Database other = Database::OpenForRecording(scratch / "other.db");
  RecordRun(other, ARun("aaaa", "2026-11-21T00:00:00Z"), {"v1_6", "v2"}, {2048, 512});
  other.Import(text, "m.sql");
  EXPECT_EQ(Database::OpenForReading(scratch / "other.db").Export({2}), text);
}

TEST_F(Checksum, AnEditedExportIsNotImported) {
  Record("aaaa", "2026-11-21T00:00:00Z", "base");
  std::string text = Opened().Export();
  const auto at = text.find("'base'");
  ASSERT_NE(at, text.npos);
  text.replace(at, 6, "'fast'");
  Database other = Database::OpenForRecording(scratch / "other.db");
  EXPECT_THAT(ComplaintOf([&] { other.Import(text, "m.sql"); }),
              AllOf(HasSubstr("m.sql: run aaaa"), HasSubstr("checksum differs"),
                    HasSubstr("delete its row of run_checksum"), HasSubstr("nothing was imported")));
  EXPECT_TRUE(other.Runs().empty());
  const auto row = text.find("INSERT INTO run_checksum");
  text.erase(row, text.find(";\n", row) + 2 - row);
  EXPECT_EQ(other.Import(text, "m.sql").runs_added, 1);
  EXPECT_NO_THROW(Database::OpenForReading(scratch / "other.db").FindKernel("v1_6", {.run = "fast"}));
}

// Rows of every table: as the tests of migrations have them.
void MakeEveryTable(const std::filesystem::path& file) {
  {
    RawSqlite raw(file);
    for (int v = 0; v < 13; ++v) {
      raw.Execute("PRAGMA foreign_keys = OFF");
      raw.Execute(std::string(Migrations()[v].text));
      raw.Execute("PRAGMA foreign_keys = ON");
      raw.Execute(
          Bytes(std::filesystem::path(CULPRIT_SOURCE_DIR) / fmt::format("tests/unit/db/rows_at_schema_{}.sql", v + 1)));
    }
    raw.Execute("UPDATE run SET finished_utc = '2026-11-22T00:00:00Z'; PRAGMA user_version = 13");
  }
  Database database = Database::OpenForRecording(file);
  // Rows of later schemas, and a sum over them.
  for (const int version : {16, 17, 18, 19, 20, 21, 22, 23})
    RawSqlite(file).Execute(
        Bytes(std::filesystem::path(CULPRIT_SOURCE_DIR) / fmt::format("tests/unit/db/rows_at_schema_{}.sql", version)));
  for (const RunId run : {7, 8}) database.FinishRun(run, "2026-11-22T00:00:00Z");
}

std::size_t Intact(const std::filesystem::path& file) {
  std::size_t intact = 0;
  for (const ListedRun& run : Database::OpenForReading(file).ListRuns()) intact += run.damage.empty();
  return intact;
}

TEST_F(Checksum, ComesWithTheMigrationToRunsThatAreThere) {
  MakeEveryTable(file);
  EXPECT_EQ(RawSqlite(file).Text("SELECT count(*) FROM run_checksum"), "2");
  EXPECT_EQ(Intact(file), 2u);
}

// Other values, of which at least one is as valid as what is there: no reader but the sum can tell.
std::vector<std::string> Others(const StoredColumn& column, const std::string& type) {
  const std::string name = fmt::format("\"{}\"", column.name());
  if (type == "TEXT") return {fmt::format("ifnull({}, '') || 'x'", name), "'[]'", "'refused'"};
  return {fmt::format("ifnull({}, 0) + 1", name), fmt::format("ifnull({}, 0) - 1", name), fmt::format("{} / 2", name),
          "NULL"};
}

TEST_F(Checksum, IsOverEveryColumnOfEveryTable) {
  MakeEveryTable(file);
  RawSqlite(file).Execute(
      "INSERT INTO toolchain SELECT max(id) + 1, driver || 'x', cuda_driver_api, cuda_runtime, cupti, nvcc, "
      "host_compiler "
      "FROM toolchain");
  const std::string bytes = Bytes(file);
  for (const TravelTable& table : TravelTables()) {
    if (!table.summed) continue;
    for (const StoredColumn& column : table.columns) {
      const std::string type = RawSqlite(file).Text(
          fmt::format("SELECT type FROM pragma_table_info('{}') WHERE name = '{}'", table.name, column.name()));
      std::string damage;
      for (const std::string& other : Others(column, type)) {
        Write(file, bytes);
        try {
          RawSqlite(file).Execute(
              fmt::format("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; UPDATE OR IGNORE {} SET "
                          "\"{}\" = {}",
                          table.name, column.name(), other));
        } catch (const std::runtime_error&) {
          continue;  // the schema knows no such value
        }
        damage += ComplaintOf([&] {
          for (const ListedRun& run : Opened().ListRuns()) damage += run.damage + "\n";
        });
      }
      EXPECT_THAT(damage, HasSubstr("checksum")) << table.name << "." << column.name();
    }
  }
}

}  // namespace
}  // namespace culprit
