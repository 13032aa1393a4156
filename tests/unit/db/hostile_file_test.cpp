// SPDX-License-Identifier: Apache-2.0
// Databases from somebody who means harm, or from a disk that flips bits: refused with a sentence, and nothing else
// happens.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "db/database.h"
#include "db/migrate.h"
#include "tests/support/child_process.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

class HostileFile : public testing::Test {
 protected:
  HostileFile() {
    Database db = Database::OpenForRecording(file);
    RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
  }
  // Neither opens it, and neither changes it.
  void ExpectRefused(const std::string& sentence) {
    const Traces before = TracesIn(scratch.path());
    EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(file); }), HasSubstr(sentence));
    EXPECT_THAT(ComplaintOf([&] { Database::OpenForRecording(file); }), HasSubstr(sentence));
    EXPECT_EQ(before, TracesIn(scratch.path()));
  }
  // The same rows without any constraint.
  void Strip(const std::string& table) {
    RawSqlite raw(file);
    raw.Execute(
        fmt::format("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; CREATE TABLE bare AS SELECT * FROM "
                    "\"{0}\"; DROP TABLE \"{0}\"; "
                    "ALTER TABLE bare RENAME TO \"{0}\"",
                    table));
  }

  Scratch scratch;
  fs::path file = scratch / "m.db";
};

std::string BigEndian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

// https://www.sqlite.org/fileformat.html: page number of the lock byte's page, name, its length, its checksum, magic.
std::string NamingASuperJournal(const std::string& name) {
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<std::uint32_t>(static_cast<signed char>(c));
  return BigEndian((1 << 30) / 4096 + 1) + name + BigEndian(static_cast<std::uint32_t>(name.size())) + BigEndian(sum) +
         "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
}

// Reading such a file goes well, and the first write finds out: then the file has changed.
TEST_F(HostileFile, IsRefusedWhereItMiscountsItsFreePages) {
  std::fstream header(file, std::ios::in | std::ios::out | std::ios::binary);
  header.seekg(32);
  std::string list(4, ' ');
  header.read(list.data(), 4);
  header.seekp(36);
  header << BigEndian(list == BigEndian(0) ? 100 : 0);
  header.close();
  ExpectRefused("free pages are miscounted");
}

TEST_F(HostileFile, CannotHaveAnotherFileDeletedThroughItsJournal) {
  const fs::path victim = scratch / "thesis.tex", attack = scratch / "attack.db";
  Write(victim, std::string("years of work") + '\0');
  {
    RawSqlite writer(file);
    writer.Execute(
        "PRAGMA cache_size = 1; BEGIN; UPDATE run SET label = 'x'; CREATE TABLE big(x); "
        "INSERT INTO big SELECT zeroblob(4000) FROM (SELECT 1 UNION ALL SELECT 2), metric, metric AS m");
    fs::copy_file(file, attack);
    fs::copy_file(file.string() + "-journal", attack.string() + "-journal");
    writer.Execute("ROLLBACK");
  }
  Write(attack.string() + "-journal", Bytes(attack.string() + "-journal") + NamingASuperJournal(victim.string()));
  for (const bool reading : {true, false})
    EXPECT_THAT(ComplaintOf([&] { reading ? Database::OpenForReading(attack) : Database::OpenForRecording(attack); }),
                HasSubstr("attack.db-journal belongs to a transaction over several files"));
  EXPECT_TRUE(fs::exists(victim));
}

// A FIFO there would have SQLite wait for ever.
TEST_F(HostileFile, IsRefusedBesideSomethingThatIsNoFile) {
  for (const char* suffix : {"-journal", "-wal", "-shm"})
    for (const bool is_fifo : {true, false}) {
      const fs::path beside = file.string() + suffix;
      ASSERT_EQ(is_fifo ? mkfifo(beside.c_str(), 0600) : mkdir(beside.c_str(), 0700), 0);
      const std::string sentence = fmt::format("m.db{} is {}", suffix, is_fifo ? "a FIFO" : "a directory");
      const auto refuses = [&](auto open) { EXPECT_THAT(ComplaintOf(open), HasSubstr(sentence)); };
      refuses([&] { Database::OpenForReading(file); });
      refuses([&] { Database::OpenForRecording(file); });
      fs::rename(file, scratch / "aside");
      refuses([&] { Database::OpenForRecording(file); });
      fs::rename(scratch / "aside", file);
      fs::remove(beside);
    }
  EXPECT_NO_THROW(Database::OpenForReading(file));
}

TEST_F(HostileFile, IsRefusedWhereItIsNoFile) {
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  ExpectRefused("m.db is a FIFO");
}

TEST_F(HostileFile, IsRefusedAtASchemaThatNobodyWrites) {
  for (const char* version : {"-1", "-2147483648", "0"}) {
    RawSqlite(file).Execute(fmt::format("PRAGMA user_version = {}", version));
    ExpectRefused(fmt::format("m.db says that its schema is {}, which no culprit writes", version));
  }
}

TEST_F(HostileFile, IsRefusedWithoutItsTables) {
  fs::remove(file);
  RawSqlite(file).Execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; CREATE TABLE t(x)",
                                      kApplicationId, SchemaVersion()));
  ExpectRefused("m.db lacks ");
}

TEST_F(HostileFile, IsRefusedWhereAViewThatNeverEndsStandsForATable) {
  RawSqlite(file).Execute(
      "PRAGMA foreign_keys = OFF; DROP TABLE warning; CREATE VIEW warning AS WITH RECURSIVE n(id) AS (SELECT 1 UNION "
      "ALL "
      "SELECT id + 1 FROM n) SELECT id, id AS run_id, NULL AS launch_id, 'a' AS code, 'b' AS text FROM n");
  ExpectRefused("m.db lacks warning.");
}

TEST_F(HostileFile, IsRefusedWhereANumberCannotHaveBeenMeasured) {
  struct Case {
    const char *table, *column, *value, *said;
  };
  for (const Case& c :
       {Case{"sample", "time_us", "9e999", "sample.time_us is inf"},
        Case{"sample", "time_us", "-1", "sample.time_us is -1"}, Case{"sample", "time_us", "0", "sample.time_us is 0"},
        Case{"sample", "time_us", "1e308", "sample.time_us is 1e+308"},
        Case{"sample", "time_us", "'soon'", "sample.time_us is a text"},
        Case{"sample", "time_us", "NULL", "sample.time_us is missing"},
        Case{"sample", "clock_mhz", "9e999", "sample.clock_mhz is inf"},
        Case{"sample", "clock_mhz", "0", "sample.clock_mhz is 0"},
        Case{"metric_value", "value", "-9e999", "metric_value.value is -inf"},
        Case{"launch", "verify_error_over_bound", "-1", "launch.verify_error_over_bound is -1"},
        Case{"launch", "flop", "1e308", "launch.flop is 1e+308"}, Case{"launch", "grid_x", "-5", "launch.grid_x is -5"},
        Case{"device", "sm_clock_mhz", "9e999", "device.sm_clock_mhz is inf"},
        Case{"static_attribute", "value", "-1", "static_attribute.value is -1"}}) {
    SCOPED_TRACE(c.said);
    const std::string whole = Bytes(file);
    Strip(c.table);
    RawSqlite(file).Execute(
        fmt::format("DELETE FROM run_checksum; UPDATE \"{}\" SET \"{}\" = {}", c.table, c.column, c.value));
    const Database db = Database::OpenForReading(file);
    EXPECT_THAT(ComplaintOf([&] { db.LoadKernel(1); }),
                AllOf(HasSubstr("run aaaa"), HasSubstr("m.db is damaged: "), HasSubstr(c.said),
                      HasSubstr("record it again, or leave that run out")));
    if (std::string(c.value) != "NULL") {
      EXPECT_THAT(ComplaintOf([&] { db.Export(); }), AllOf(HasSubstr("run aaaa"), HasSubstr(c.column)));
    }
    Write(file, whole);
  }
}

TEST_F(HostileFile, HidesNoOtherRunBehindADamagedOne) {
  {
    Database db = Database::OpenForRecording(file);
    RecordRun(db, ARun("bbbb", "2026-11-22T00:00:00Z", "broken"), {"v1_7"}, {1024});
  }
  RawSqlite(file).Execute(
      "INSERT INTO program(run_id, source, processes, gpus, lost_launches) VALUES (2, 'record', 1, 1, "
      "9223372036854775807)");
  const Database db = Database::OpenForReading(file);
  ASSERT_EQ(db.Runs().size(), 1u);
  EXPECT_THAT(db.Runs()[0].run.uuid, testing::StartsWith("aaaa"));
  const std::vector<ListedRun> listed = db.ListRuns();
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[1].damage, "");
  EXPECT_EQ(listed[0].run.run.label, "broken");
  EXPECT_THAT(listed[0].damage, HasSubstr("program.lost_launches is 9.2"));
  const auto names =
      AllOf(HasSubstr("run bbbb"), HasSubstr("(broken)"), HasSubstr("lost_launches"), HasSubstr("--run"));
  EXPECT_THAT(ComplaintOf([&] { db.FindRun({.run = "broken"}); }), names);
  EXPECT_THAT(ComplaintOf([&] { db.Export(); }), names);
  EXPECT_EQ(Database::InMemory().Import(db.Export({db.Runs()[0].id}), "good.sql").runs_added, 1);
}

TEST_F(HostileFile, IsASentenceWhereRowsReferToNothing) {
  RawSqlite(file).Execute(
      "PRAGMA foreign_keys = OFF; DELETE FROM run_checksum; DELETE FROM device; DELETE FROM run_stage");
  const Database db = Database::OpenForReading(file);
  EXPECT_THAT(ComplaintOf([&] { db.FindRun({}); }), HasSubstr("refers to a device that is not there"));
  EXPECT_THAT(ComplaintOf([&] { db.Export(); }), HasSubstr("m.db: a launch is of a stage that its run does not offer"));
}

TEST_F(HostileFile, IsASentenceWhereAWarningNamesALaunchOfAnotherRun) {
  {
    Database db = Database::OpenForRecording(file);
    db.StoreWarning(RecordRun(db, ARun("bbbb"), {"v1_7"}, {1024}), std::nullopt, {"a", "b"});
  }
  RawSqlite(file).Execute("UPDATE warning SET launch_id = 1");
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(file).Export(); }),
              HasSubstr("a warning names a launch of another run"));
}

TEST_F(HostileFile, IsASentenceWhereALaunchIsTheSecondOfOne) {
  RawSqlite(file).Execute("DELETE FROM run_checksum; UPDATE launch SET ordinal = 1 WHERE id = 1");
  const Database db = Database::OpenForReading(file);
  EXPECT_THAT(ComplaintOf([&] { db.Export(); }),
              HasSubstr("the launches of a stage at a shape are not numbered 0, 1, 2"));
  EXPECT_THAT(ComplaintOf([&] { db.FindKernel("v1_7", {}); }), HasSubstr("m.db is damaged"));
}

TEST_F(HostileFile, CannotKeepAQueryGoingForEver) {
  const Database db = Database::OpenForReading(file);
  EXPECT_THAT(ComplaintOf([&] {
                db.Query(
                    "WITH RECURSIVE n(x, y) AS (SELECT 1, 1 UNION ALL SELECT x + 1, y FROM n) SELECT x, y, x, y, x, y, "
                    "x, y, x, y FROM n");
              }),
              HasSubstr("the query gives more than 20 million values"));
}

TEST_F(HostileFile, MayNotHoldAValueThatFillsTheMemory) {
  RawSqlite(file).Execute("UPDATE run SET label = CAST(zeroblob(20000000) AS TEXT)");
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(file).Runs(); }),
              HasSubstr("it holds a value of more than 16 MB"));
}

TEST_F(HostileFile, IsFoundOutWhenAFlippedBitLosesARow) {
  std::string bytes = Bytes(file);
  EXPECT_NO_THROW(Database::OpenForReading(file).CheckWhole());
  // The count of cells of a leaf page, at its byte 3: the last row is gone, and every statement goes on working.
  const auto page = std::stoul(RawSqlite(file).Text("SELECT rootpage FROM sqlite_schema WHERE name = 'sample'")) - 1;
  ASSERT_EQ(bytes.at(page * 4096), '\x0a');  // leaf of an index: the table is WITHOUT ROWID
  --bytes.at(page * 4096 + 4);
  Write(file, bytes);
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(file).CheckWhole(); }), HasSubstr("m.db is damaged"));
}

// A WAL database that nobody had open when the reader came; a recorder comes while it reads.
TEST_F(HostileFile, AFileAtRestInWalModeIsReadWhileSomebodyBeginsToWrite) {
  RawSqlite(file).Execute("PRAGMA journal_mode = WAL");
  ASSERT_FALSE(fs::exists(file.string() + "-wal"));
  const Database reader = Database::OpenForReading(file);
  {
    Database recorder = Database::OpenForRecording(file);
    for (int i = 0; i < 20; ++i) RecordRun(recorder, ARun(fmt::format("b{:03}", i)), {"v1_6", "v0"}, {512, 1024});
  }
  EXPECT_EQ(reader.Runs().size(), 1u);
  EXPECT_NO_THROW(reader.CheckWhole());
  EXPECT_EQ(reader.Stages(1).size(), 1u);
}

TEST_F(HostileFile, APendingWalWithoutATemporaryDirectoryIsASentence) {
  const Scratch still;
  {
    Database db = Database::OpenForRecording(file);
    RecordRun(db, ARun("bbbb"), {"v1_7"}, {1024}, false);
    for (const char* suffix : {"", "-wal"}) fs::copy_file(file.string() + suffix, (still / "m.db").string() + suffix);
  }
  for (const auto& entry : fs::directory_iterator(still.path())) fs::permissions(entry.path(), fs::perms(0444));
  fs::permissions(still.path(), fs::perms(0555));
  EXPECT_THAT(InChildWithoutRights([&] {
                setenv("TMPDIR", "/nowhere/at/all", 1);
                return ComplaintOf([&] { Database::OpenForReading(still / "m.db"); });
              }),
              HasSubstr("set TMPDIR to a directory that you may write to"));
}

}  // namespace
}  // namespace culprit
