// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::HasSubstr;

TEST(LockedFile, RecordingGivesUpAfterAFewSecondsAndSaysWhy) {
  const Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  RawSqlite other(scratch / "m.db");
  other.Execute("BEGIN IMMEDIATE");
  EXPECT_THAT(
      ComplaintOf([&] { db.BeginRun(ARun("aaaa")); }),
      HasSubstr("cannot begin a run while another process is writing to " + (scratch / "m.db").string() + ": wait"));
  other.Execute("ROLLBACK");
  EXPECT_EQ(db.BeginRun(ARun("aaaa")), 1);
}

TEST(LockedFile, ReadingAFileThatSomebodyLockedSaysSo) {
  const Scratch scratch;
  { Database::OpenForRecording(scratch / "m.db"); }
  RawSqlite other(scratch / "m.db");
  other.Execute("BEGIN EXCLUSIVE");
  EXPECT_THAT(ComplaintOf([&] { Database::OpenForReading(scratch / "m.db"); }),
              HasSubstr("another process is writing to"));
}

TEST(LockedFile, RecordingDoesNotWaitForReaders) {
  const Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  RawSqlite reader(scratch / "m.db");
  reader.Execute("BEGIN; SELECT count(*) FROM run");
  RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
  EXPECT_EQ(db.Runs().size(), 1u);
  EXPECT_EQ(reader.Text("SELECT count(*) FROM run"), "0");  // its snapshot
}

}  // namespace
}  // namespace culprit
