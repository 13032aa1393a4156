// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "db/migrate.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Import : public testing::Test {
 protected:
  Import() {
    Database other = Database::OpenForRecording(scratch / "other.db");
    RecordRun(other, ARun("bbbb", "2026-02-01T00:00:00Z"), {"v1_7", "v1_6"}, {1024});
    text = other.Export();
    RecordRun(db, ARun("aaaa", "2026-01-01T00:00:00Z"), {"v1_6", "v0"}, {1024, 2048});
  }

  // Refused with this complaint, and nothing changed.
  std::string Complaint(const std::string& sql) {
    const std::string before = db.Export();
    const std::string complaint = ComplaintOf([&] { db.Import(sql, "travel.sql"); });
    EXPECT_EQ(before, db.Export());
    return complaint;
  }
  std::string Replaced(const std::string& what, const std::string& with) {
    std::string changed = text;
    const auto at = changed.find(what);
    EXPECT_NE(at, changed.npos) << what;
    changed.replace(at, what.size(), with);
    // Else it is refused for having been edited.
    for (auto sums = changed.npos; (sums = changed.find("INSERT INTO run_checksum")) != changed.npos;)
      changed.erase(sums, changed.find(";\n", sums) + 2 - sums);
    return changed;
  }
  std::string Only(const std::string& statements) {
    return fmt::format("-- culprit export, schema {}\nBEGIN;\n{}\nCOMMIT;\n", SchemaVersion(), statements);
  }

  Scratch scratch;
  std::string text;
  Database db = Database::OpenForRecording(scratch / "m.db");
};

TEST_F(Import, AddsRunsBesideThoseThatAreThere) {
  const auto result = db.Import(text, "travel.sql");
  EXPECT_EQ(result.runs_added, 1);
  EXPECT_EQ(result.runs_already_there, 0);
  const KernelRecord kernel = db.FindKernel("v1_7", {});
  EXPECT_EQ(kernel.run.run.uuid.substr(0, 4), "bbbb");
  EXPECT_EQ(kernel.run.state, "complete");
  EXPECT_EQ(kernel.samples.size(), 2u);
  EXPECT_EQ(kernel.readings.size(), 2u);
  EXPECT_EQ(kernel.attributes.size(), 3u);
  EXPECT_EQ(kernel.stage.factors.size(), 2u);
  EXPECT_EQ(db.FindKernel("v0", {}).run.run.uuid.substr(0, 4), "aaaa");
  EXPECT_EQ(std::get<std::int64_t>(db.Query("SELECT count(*) FROM stage WHERE key = 'v1_6'").rows[0][0]), 1);
}

TEST_F(Import, CountsRunsThatAreThereAlready) {
  db.Import(text, "travel.sql");
  const auto result = db.Import(text, "travel.sql");
  EXPECT_EQ(result.runs_added, 0);
  EXPECT_EQ(result.runs_already_there, 1);
  EXPECT_EQ(db.Runs().size(), 2u);
}

TEST_F(Import, ShowsAnUnfinishedRunAsInterruptedAlthoughItsProcessLivesHere) {
  Database other = Database::OpenForRecording(scratch / "running.db");
  RecordRun(other, ARun("cccc", "2026-03-01T00:00:00Z"), {"v1_7"}, {1024}, false);
  EXPECT_EQ(other.FindRun({}).state, "running");
  db.Import(other.Export(), "travel.sql");
  EXPECT_EQ(db.FindRun({.run = "cccc"}).state, "interrupted");
}

TEST_F(Import, ReplacesAnUnfinishedCopyByTheFinishedRun) {
  Database other = Database::OpenForRecording(scratch / "running.db");
  const RunId run = RecordRun(other, ARun("cccc", "2026-03-01T00:00:00Z"), {"v1_7"}, {1024}, false);
  db.Import(other.Export(), "travel.sql");
  other.StoreLaunch(run, ALaunch("v1_7", 2048), Samples({3.0}));
  other.FinishRun(run);
  EXPECT_EQ(db.Import(other.Export(), "travel.sql").runs_added, 1);
  EXPECT_EQ(db.FindRun({.run = "cccc"}).state, "complete");
  EXPECT_EQ(db.FindRun({.run = "cccc"}).launches, 2);
  EXPECT_EQ(db.Runs().size(), 2u);
}

TEST_F(Import, RefusesEverythingButInserts) {
  for (const char* statement :
       {"DELETE FROM run;", "DROP TABLE run;", "ATTACH 'x.db' AS x;", "PRAGMA user_version = 9;", "CREATE TABLE t(x);",
        "UPDATE run SET label = 'x';", "SELECT load_extension('x');", "BEGIN;", "REPLACE INTO run(id) VALUES (1);"})
    EXPECT_THAT(Complaint(Only(statement)),
                AllOf(HasSubstr("travel.sql line 3: only BEGIN, INSERT and COMMIT are understood"),
                      HasSubstr("nothing was imported")))
        << statement;
}

TEST_F(Import, RefusesValuesThatAreNotLiterals) {
  for (const char* value : {"(SELECT 1)", "random()", "x'00'", "CURRENT_TIMESTAMP", "1.2.3", "-", "'a' || 'b'", "?"})
    EXPECT_THAT(Complaint(Only(
                    fmt::format("INSERT INTO stage_factor(stage_id, factor, value) VALUES\n({}, 'a', 'b');", value))),
                HasSubstr("travel.sql line 4"))
        << value;
}

TEST_F(Import, RefusesTablesAndColumnsThatAreNotOurs) {
  EXPECT_THAT(Complaint(Only("INSERT INTO sqlite_schema(name) VALUES ('x');")),
              HasSubstr("line 3: there is no table 'sqlite_schema'"));
  EXPECT_THAT(Complaint(Only("INSERT INTO edge(base) VALUES ('x');")), HasSubstr("there is no table 'edge'"));
  EXPECT_THAT(Complaint(Only("INSERT INTO run(rowid) VALUES (1);")), HasSubstr("run has no column 'rowid'"));
  EXPECT_THAT(Complaint(Only("INSERT INTO \"run\"\"; DROP TABLE run; --\"(id) VALUES (1);")),
              HasSubstr("there is no table"));
}

TEST_F(Import, SaysWhichLineBreaksARule) {
  EXPECT_THAT(Complaint(Replaced("'hot'", "'warm'")),
              AllOf(HasSubstr("travel.sql line"), HasSubstr("CHECK constraint failed")));
  EXPECT_THAT(Complaint(Replaced(",379000000,'ok',NULL)", ",NULL,'ok',NULL)")), HasSubstr("CHECK constraint failed"));
  EXPECT_THAT(Complaint(Replaced(",379000000,'ok',NULL)", ",'many','ok',NULL)")),
              HasSubstr("cannot store TEXT value in REAL column"));
  EXPECT_THAT(Complaint(Only("INSERT INTO stage_factor(stage_id, factor, value) VALUES\n(1, 'a', 'b'),\n(1, 'a');")),
              HasSubstr("line 5: a row of stage_factor has 2 values for 3 columns"));
  EXPECT_THAT(
      Complaint(Only("INSERT INTO stage_factor(stage_id, factor, value) VALUES\n(1, 'a', 'b'),\n(1, 'a', 'c');")),
      HasSubstr("line 5: UNIQUE constraint failed"));
}

TEST_F(Import, RefusesWordsThatAreNearlyNumbers) {
  for (const char* value : {"+", "++5", "+-5", "-+5", ".", "1e", "1e+", "e5", "-.e1", "5x", "1..2", "0x10"})
    EXPECT_THAT(Complaint(Only(
                    fmt::format("INSERT INTO stage_factor(stage_id, factor, value) VALUES\n({}, 'a', 'b');", value))),
                HasSubstr("travel.sql line 4"))
        << value;
}

TEST_F(Import, ReadsNumbersOfAnyLength) {
  const std::string zeros(400, '0');
  for (const auto& [number, value] : {std::pair{"0." + zeros + "1", 0.0},
                                      {"1" + zeros + "e-400", 1.0},
                                      {"1e-9223372036854775808", 0.0},
                                      {"0.01e-9223372036854775807", 0.0},
                                      {"-0.0000", 0.0},
                                      {"+2.5E+1", 25.0},
                                      {".5", 0.5},
                                      {"3.", 3.0}}) {
    Scratch other;
    Database fresh = Database::OpenForRecording(other / "m.db");
    ASSERT_EQ(
        ComplaintOf([&] { fresh.Import(Replaced(",379000000,'ok',NULL)", "," + number + ",'ok',NULL)"), "t.sql"); }),
        "")
        << number;
    EXPECT_EQ(fresh.LoadKernel(1).readings.at(0).value, value) << number;
  }
  for (const std::string& number : {"1" + zeros, std::string("5e+9223372036854775807")})
    EXPECT_THAT(Complaint(Replaced(",379000000,'ok',NULL)", "," + number + ",'ok',NULL)")),
                HasSubstr("metric_value.value is inf"))
        << number;
}

TEST_F(Import, RefusesNumbersThatCannotHaveBeenMeasuredAndSaysInWhichLine) {
  for (const char* value : {"9e999", "-9e999", "1e308", "-1"})
    EXPECT_THAT(
        Complaint(Replaced(",379000000,'ok',NULL)", fmt::format(",{},'ok',NULL)", value))),
        AllOf(HasSubstr("travel.sql line"), HasSubstr("metric_value.value is"), HasSubstr("nothing was imported")))
        << value;
  EXPECT_THAT(Complaint(Replaced(",0.25,'cublas')", ",-1,'cublas')")),
              HasSubstr("launch.verify_error_over_bound is -1"));
}

TEST_F(Import, ReadsOnBehindAZeroByte) {
  EXPECT_THAT(Complaint(text + std::string(1, '\0') + "DELETE FROM run;"), HasSubstr("nothing was imported"));
}

TEST_F(Import, RefusesRowsThatBelongNowhere) {
  EXPECT_THAT(Complaint(Replaced("INSERT INTO run_stage(\"run_id\",\"stage_id\",\"position\") VALUES\n(1,1,1),\n",
                                 "INSERT INTO run_stage(\"run_id\",\"stage_id\",\"position\") VALUES\n")),
              HasSubstr("of a stage that its run does not offer, which no recording writes; nothing was imported"));
}

TEST_F(Import, RefusesAValueThatFillsTheMemory) {
  EXPECT_THAT(Complaint(Replaced("'cublas'", "'" + std::string(17 << 20, 'x') + "'")),
              HasSubstr("a text that begins here has more than 16 MB"));
}

TEST_F(Import, RefusesRowsThatReferToNothing) {
  EXPECT_THAT(Complaint(Only("INSERT INTO stage_factor(stage_id, factor, value) VALUES (77, 'a', 'b');")),
              HasSubstr("a row of stage_factor refers to a row of stage that is not there"));
}

TEST_F(Import, RefusesATextThatWasCutOff) {
  for (const std::size_t cut : {std::size_t{40}, text.size() / 3, text.size() / 2, text.size() - 9})
    EXPECT_THAT(Complaint(text.substr(0, cut)), HasSubstr("nothing was imported")) << cut;
  EXPECT_THAT(Complaint(Only("INSERT INTO stage_factor(stage_id, factor, value) VALUES (1, 'open")),
              HasSubstr("line 3: a text that begins here does not end"));
}

TEST_F(Import, RefusesWhatIsNoExport) {
  for (const char* other : {"", "hello", "BEGIN;\nCOMMIT;\n", "-- culprit export, schema x\n"})
    EXPECT_THAT(Complaint(other), HasSubstr("travel.sql line 1: an export begins with '-- culprit export, schema N'"))
        << other;
  EXPECT_THAT(Complaint(text + "DELETE FROM run;"), HasSubstr("there is something after COMMIT"));
}

TEST_F(Import, RefusesANewerSchema) {
  EXPECT_THAT(Complaint("-- culprit export, schema 99\nBEGIN;\nCOMMIT;\n"),
              HasSubstr("travel.sql was written by a newer culprit (schema 99"));
}

TEST_F(Import, ReadsWhatAPersonMayHaveEdited) {
  const std::string edited = Only(
      "-- a comment; with 'quotes'\n\n  insert into toolchain (id, driver, cuda_driver_api, cuda_runtime, cupti, nvcc, "
      "host_compiler)\n"
      "values ( 9 , '' , '13.0','13.0', '26','13.0.88','g++') ; -- another\n"
      "INSERT INTO \"run\"(id, uuid, started_utc, label, command_line, profile, l2, seed, git_sha, git_dirty, "
      "device_id, toolchain_id) VALUES"
      "(5,'dddd','2026-04-01T00:00:00Z','by ''hand''','','none','hot',+7,'',0,null,9);");
  EXPECT_EQ(db.Import(edited, "hand.sql").runs_added, 1);
  const RunSummary run = db.FindRun({.run = "dddd"});
  EXPECT_EQ(run.run.label, "by 'hand'");
  EXPECT_EQ(run.run.seed, 7);
  EXPECT_FALSE(run.run.device.has_value());
}

}  // namespace
}  // namespace culprit
