// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace fs = std::filesystem;

TEST(OpenForReading, SaysThatAMissingFileIsMissingAndDoesNotCreateIt) {
  const Scratch scratch;
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(scratch / "m.db"); }),
              AllOf(StartsWith("there is no file"), HasSubstr("m.db"), HasSubstr("culprit import --db"),
                    HasSubstr("culprit record --db")));
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(OpenForReading, RefusesADirectory) {
  const Scratch scratch;
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(scratch.path()); }),
              HasSubstr("is a directory: name a file in it"));
}

TEST(OpenForReading, SaysThatAnEmptyFileIsEmpty) {
  const Scratch scratch;
  Write(scratch / "m.db", "");
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(scratch / "m.db"); }),
              HasSubstr("m.db is empty: record a program"));
}

TEST(OpenForReading, SaysThatADatabaseWithoutTablesIsEmpty) {
  const Scratch scratch;
  RawSqlite(scratch / "m.db").Execute("PRAGMA user_version = 0; CREATE TABLE t(x); DROP TABLE t");
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(scratch / "m.db"); }),
              HasSubstr("m.db is empty: record a program"));
}

class EitherWay : public testing::TestWithParam<bool> {
 protected:
  std::string Complaint(const fs::path& file) const {
    return ComplaintOf([&] { GetParam() ? Database::OpenForRecording(file) : Database::OpenForReading(file); });
  }
};
INSTANTIATE_TEST_SUITE_P(Open, EitherWay, testing::Bool(),
                         [](const auto& way) { return way.param ? "ForRecording" : "ForReading"; });

TEST_P(EitherWay, RefusesBytesThatAreNoDatabase) {
  const Scratch scratch;
  Write(scratch / "m.db", std::string(5000, 'x') + "random");
  const Traces before = TracesIn(scratch.path());
  EXPECT_THAT(Complaint(scratch / "m.db"), HasSubstr("m.db is not a database: name the file"));
  EXPECT_EQ(before, TracesIn(scratch.path()));
}

TEST_P(EitherWay, RefusesAFewBytes) {
  const Scratch scratch;
  Write(scratch / "m.db", "hi\n");
  EXPECT_THAT(Complaint(scratch / "m.db"), HasSubstr("m.db is not a database"));
  EXPECT_EQ(Bytes(scratch / "m.db"), "hi\n");
}

TEST_P(EitherWay, RefusesADirectory) {
  const Scratch scratch;
  EXPECT_THAT(Complaint(scratch.path()), HasSubstr("is a directory"));
}

TEST_P(EitherWay, RefusesADeviceFile) { EXPECT_THAT(Complaint("/dev/null"), HasSubstr("/dev/null")); }

TEST_P(EitherWay, RefusesSomebodyElsesDatabase) {
  const Scratch scratch;
  RawSqlite(scratch / "m.db").Execute("CREATE TABLE run(id INTEGER PRIMARY KEY); INSERT INTO run VALUES (1)");
  const Traces before = TracesIn(scratch.path());
  EXPECT_THAT(Complaint(scratch / "m.db"), HasSubstr("is an SQLite database but not one of culprit's"));
  EXPECT_EQ(before, TracesIn(scratch.path()));
}

TEST_P(EitherWay, RefusesANewerSchema) {
  const Scratch scratch;
  { Database::OpenForRecording(scratch / "m.db"); }
  RawSqlite(scratch / "m.db").Execute("PRAGMA user_version = 99");
  const Traces before = TracesIn(scratch.path());
  EXPECT_THAT(Complaint(scratch / "m.db"),
              AllOf(HasSubstr("m.db was written by a newer culprit (schema 99, this one knows "),
                    HasSubstr("): update culprit")));
  EXPECT_EQ(before, TracesIn(scratch.path()));
}

TEST_P(EitherWay, RefusesANewerSchemaWhoseChangesAreStillPending) {
  const Scratch scratch;
  { Database::OpenForRecording(scratch / "m.db"); }
  RawSqlite other(scratch / "m.db");
  other.Execute("PRAGMA journal_mode = WAL; PRAGMA user_version = 99");  // in the -wal as long as `other` is open
  const std::string before = Bytes(scratch / "m.db");
  EXPECT_THAT(Complaint(scratch / "m.db"), HasSubstr("newer culprit (schema 99"));
  EXPECT_EQ(before, Bytes(scratch / "m.db"));
}

TEST(OpenForRecording, SaysThatTheDirectoryIsMissing) {
  const Scratch scratch;
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForRecording(scratch / "no/m.db"); }),
              HasSubstr("there is no directory"));
}

TEST(OpenForRecording, TakesAnEmptyFileForANewOne) {
  const Scratch scratch;
  Write(scratch / "m.db", "");
  { Database::OpenForRecording(scratch / "m.db"); }
  EXPECT_TRUE(Database::OpenForReading(scratch / "m.db").Runs().empty());
}

TEST(OpenForRecording, LeavesOneFileAtRest) {
  const Scratch scratch;
  {
    Database db = Database::OpenForRecording(scratch / "m.db");
    RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
    EXPECT_TRUE(fs::exists(scratch / "m.db-wal"));
  }
  EXPECT_EQ(TracesIn(scratch.path()).size(), 1u);
  EXPECT_EQ(RawSqlite(scratch / "m.db").Text("PRAGMA journal_mode"), "delete");
}

TEST(OpenForRecording, TakesNamesThatLookLikeUris) {
  const Scratch scratch;
  for (const char* name : {"file:m.db", "a?mode=memory", "100%#1.db", "it's \"m\".db"}) {
    { Database::OpenForRecording(scratch / name); }
    EXPECT_TRUE(fs::exists(scratch / name)) << name;
    EXPECT_TRUE(Database::OpenForReading(scratch / name).Runs().empty()) << name;
    RawSqlite(scratch / name).Execute("PRAGMA journal_mode = WAL");  // opened as immutable from here on, by URI
    EXPECT_TRUE(Database::OpenForReading(scratch / name).Runs().empty()) << name;
  }
}

TEST(OpenForRecording, LetsTwoRecordersTakeTurns) {
  const Scratch scratch;
  Database one = Database::OpenForRecording(scratch / "m.db");
  Database two = Database::OpenForRecording(scratch / "m.db");
  RecordRun(one, ARun("aaaa"), {"v1_7"}, {1024});
  RecordRun(two, ARun("bbbb"), {"v1_7"}, {1024});
  RecordRun(one, ARun("cccc"), {"v1_6"}, {1024});
  EXPECT_EQ(two.Runs().size(), 3u);
}

TEST(OpenForReading, ChangesNothing) {
  const Scratch scratch;
  {
    Database db = Database::OpenForRecording(scratch / "m.db");
    RecordRun(db, ARun("aaaa"), {"v1_7", "v1_6"}, {1024, 2048});
  }
  const Traces before = TracesIn(scratch.path());
  {
    const Database db = Database::OpenForReading(scratch / "m.db");
    db.FindKernel("v1_6", {});
    for (const NamedQuery& query : NamedQueries()) db.Query(query);
    EXPECT_FALSE(db.Export().empty());
  }
  EXPECT_EQ(before, TracesIn(scratch.path()));
}

TEST(OpenForReading, SeesARunWhileItIsRecorded) {
  const Scratch scratch;
  Database recorder = Database::OpenForRecording(scratch / "m.db");
  const Database reader = Database::OpenForReading(scratch / "m.db");
  EXPECT_TRUE(reader.Runs().empty());
  RecordRun(recorder, ARun("aaaa"), {"v1_7"}, {1024}, false);
  ASSERT_EQ(reader.Runs().size(), 1u);
  EXPECT_EQ(reader.Runs()[0].state, "running");
}

TEST(OpenForReading, RefusesToRecord) {
  const Scratch scratch;
  { Database::OpenForRecording(scratch / "m.db"); }
  Database db = Database::OpenForReading(scratch / "m.db");
  EXPECT_THAT(ComplaintOf([&] { db.BeginRun(ARun("aaaa")); }), HasSubstr("read-only"));
}

// The main file alone, as someone copied it while a recorder had it open.
TEST(OpenForReading, ReadsAWalFileWithoutItsWalAndLeavesNothingBeside) {
  const Scratch scratch;
  {
    Database db = Database::OpenForRecording(scratch / "m.db");
    RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
    fs::copy_file(scratch / "m.db", scratch / "copy.db");
  }
  fs::remove(scratch / "m.db");
  EXPECT_EQ(Database::OpenForReading(scratch / "copy.db").Runs().size(), 1u);
  EXPECT_EQ(TracesIn(scratch.path()).size(), 1u);
}

}  // namespace
}  // namespace culprit
