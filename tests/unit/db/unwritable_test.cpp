// SPDX-License-Identifier: Apache-2.0
// Files and directories that may not be written to. In a child that gives up root's rights where it has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/child_process.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr auto kReadOnlyFile = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
constexpr auto kReadOnlyDirectory =
    kReadOnlyFile | fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;

struct OneRun {
  Scratch scratch;
  fs::path file = scratch / "m.db";
  OneRun() {
    Database db = Database::OpenForRecording(file);
    RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
  }
};

std::string CountRuns(const fs::path& file) { return std::to_string(Database::OpenForReading(file).Runs().size()); }

TEST(Unwritable, RecordingIntoAReadOnlyFileIsRefused) {
  const OneRun made;
  fs::permissions(made.file, kReadOnlyFile);
  fs::permissions(made.scratch.path(), fs::perms::all);
  const Traces before = TracesIn(made.scratch.path());
  EXPECT_THAT(InChildWithoutRights([&] { return ComplaintOf([&] { Database::OpenForRecording(made.file); }); }),
              HasSubstr("m.db, it is read-only: make it writable"));
  EXPECT_EQ(before, TracesIn(made.scratch.path()));
}

TEST(Unwritable, RecordingIntoAReadOnlyDirectoryIsRefused) {
  const OneRun made;
  fs::permissions(made.file, fs::perms::all);
  fs::permissions(made.scratch.path(), kReadOnlyDirectory);
  for (const char* name : {"m.db", "new.db"})
    EXPECT_THAT(
        InChildWithoutRights([&] { return ComplaintOf([&] { Database::OpenForRecording(made.scratch / name); }); }),
        HasSubstr("its directory is read-only: name a file elsewhere"));
  EXPECT_EQ(TracesIn(made.scratch.path()).size(), 1u);
}

TEST(Unwritable, AReadOnlyFileInAReadOnlyDirectoryIsRead) {
  const OneRun made;
  fs::permissions(made.file, kReadOnlyFile);
  fs::permissions(made.scratch.path(), kReadOnlyDirectory);
  EXPECT_EQ(InChildWithoutRights([&] { return CountRuns(made.file); }), "1");
}

TEST(Unwritable, AWalFileInAReadOnlyDirectoryIsRead) {
  const OneRun made;
  RawSqlite(made.file).Execute("PRAGMA journal_mode = WAL");
  fs::permissions(made.file, kReadOnlyFile);
  fs::permissions(made.scratch.path(), kReadOnlyDirectory);
  EXPECT_EQ(InChildWithoutRights([&] { return CountRuns(made.file); }), "1");
}

// What a killed recorder leaves, on media that cannot be written to: only a copy can take the -wal in.
TEST(Unwritable, APendingWalInAReadOnlyDirectoryIsRead) {
  Scratch scratch;
  {
    Scratch busy;
    Database db = Database::OpenForRecording(busy / "m.db");
    RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024}, false);
    fs::copy_file(busy / "m.db", scratch / "m.db");
    fs::copy_file(busy / "m.db-wal", scratch / "m.db-wal");
  }
  for (const char* name : {"m.db", "m.db-wal"}) fs::permissions(scratch / name, kReadOnlyFile);
  fs::permissions(scratch.path(), kReadOnlyDirectory);
  const Traces before = TracesIn(scratch.path());
  EXPECT_EQ(InChildWithoutRights([&] { return CountRuns(scratch / "m.db"); }), "1");
  EXPECT_EQ(before, TracesIn(scratch.path()));
}

TEST(Unwritable, AFileThatMayNotBeReadIsSaidToBeSo) {
  const OneRun made;
  fs::permissions(made.file, fs::perms::none);
  fs::permissions(made.scratch.path(), kReadOnlyDirectory);
  EXPECT_THAT(InChildWithoutRights([&] { return CountRuns(made.file); }), HasSubstr("check that you may read it"));
}

}  // namespace
}  // namespace culprit
