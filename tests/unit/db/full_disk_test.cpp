// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <set>

#include "db/database.h"
#include "tests/support/child_process.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr int kReadings = 100;

// Records until it is refused, then looks at what is there. "N launches: the refusal", or what is wrong with the rest.
std::string RecordUntilRefused(const fs::path& file) {
  int stored = 0;
  std::string refusal;
  {
    Database db = Database::OpenForRecording(file);
    const RunId run = db.BeginRun(ARun("aaaa"));
    db.StoreStage(run, AStage("v1_7"), {});
    std::vector<Reading> readings;
    for (int i = 0; i < kReadings; ++i) readings.push_back(AReading(fmt::format("metric_{}", i), i));
    refusal = ComplaintOf([&] {
      for (; stored < 100'000; ++stored)
        db.StoreReadings(db.StoreLaunch(run, ALaunch("v1_7", stored + 1), Samples({1.5})), readings);
    });
  }
  const Database db = Database::OpenForReading(file);
  if (std::get<std::string>(db.Query("PRAGMA integrity_check").rows.at(0).at(0)) != "ok") return "the file is damaged";
  const RunSummary run = db.FindRun({});
  if (run.metric_values != stored * kReadings) return "an earlier transaction is gone, or half of one is there";
  if (run.launches != stored && run.launches != stored + 1) return "an earlier launch is gone";
  return fmt::format("{} launches: {}", stored, refusal);
}

TEST(FullDisk, AFileThatMayNotGrowStopsRecordingAndKeepsWhatWasStored) {
  const Scratch scratch;
  const std::string said = InChild([&] {
    signal(SIGXFSZ, SIG_IGN);  // write() fails with EFBIG instead
    const rlimit limit{1 << 20, 1 << 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return std::string("setrlimit");
    return RecordUntilRefused(scratch / "m.db");
  });
  EXPECT_THAT(said, HasSubstr("launches: cannot store"));
  EXPECT_THAT(said, HasSubstr("what was stored before is intact"));
  EXPECT_THAT(said, testing::Not(testing::StartsWith("0 launches")));
}

// A file system of 1 MB in a mount namespace of the child's own; needs root or user namespaces.
std::string OnASmallDisk(const fs::path& directory, const std::function<std::string()>& work) {
  return InChild([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0) {
      // Without a mapping, nobody could own a file on the new file system.
      const std::string user = fmt::format("0 {} 1", getuid()), group = fmt::format("0 {} 1", getgid());
      if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "no namespace";
      Write("/proc/self/setgroups", "deny");
      Write("/proc/self/uid_map", user);
      Write("/proc/self/gid_map", group);
      if (getuid() != 0 || getgid() != 0) return "no mapping";
    }
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "no private mounts";
    if (mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=1m") != 0) return "no tmpfs";
    return work();
  });
}

// Takes what room is left on the disk of `directory`.
void Fill(const fs::path& directory) {
  std::ofstream out(directory / "filler", std::ios::binary);
  const std::string block(4096, 'x');
  while (out.write(block.data(), block.size()).flush()) {
  }
}

std::string NamesIn(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename());
  return fmt::format("{}", fmt::join(names, " "));
}

TEST(FullDisk, ADiskWithoutRoomIsCalledFullAndKeepsWhatWasStored) {
  const Scratch scratch;
  const std::string said = OnASmallDisk(scratch.path(), [&] { return RecordUntilRefused(scratch / "m.db"); });
  if (said.starts_with("no ")) GTEST_SKIP() << "this machine does not let a test mount a file system: " << said;
  EXPECT_THAT(said, HasSubstr("m.db is full: free some space; what was stored before is intact"));
  EXPECT_THAT(said, testing::Not(testing::StartsWith("0 launches")));
}

// As sqlite3 leaves a file that it read after a recorder was killed.
std::string AtRestInWal(const fs::path& file) {
  {
    Database db = Database::OpenForRecording(file);
    RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024});
  }
  RawSqlite(file).Execute("PRAGMA journal_mode = WAL");
  return Bytes(file);
}

TEST(FullDisk, AFileAtRestInWalModeStaysAsItIsAndCanBeRead) {
  const Scratch scratch, elsewhere;
  std::string other;
  {
    Database db = Database::OpenForRecording(elsewhere / "other.db");
    RecordRun(db, ARun("bbbb"), {"v1_6"}, {1024});
    other = db.Export();
  }
  const std::string said = OnASmallDisk(scratch.path(), [&]() -> std::string {
    const fs::path file = scratch / "m.db";
    const std::string before = AtRestInWal(file);
    Fill(scratch.path());
    const Database::ImportSource source{"other.sql", [&] { return other; }};
    std::string refusals = ComplaintOf([&] { Database::ImportInto(file, {&source, 1}); });
    refusals += " | " + ComplaintOf([&] { Database::OpenForRecording(file); });
    if (Bytes(file) != before) return "the file was changed";
    return fmt::format("{} | {} | {} run", refusals, NamesIn(scratch.path()),
                       Database::OpenForReading(file).Runs().size());
  });
  if (said.starts_with("no ")) GTEST_SKIP() << "this machine does not let a test mount a file system: " << said;
  EXPECT_THAT(said, testing::StartsWith("cannot import, the disk of "));
  EXPECT_THAT(said, HasSubstr(" | cannot record, the disk of "));
  EXPECT_THAT(said, testing::EndsWith(" | filler m.db | 1 run"));
}

// Its -wal holds what a killed recorder stored, and there is no room for SQLite's -shm.
TEST(FullDisk, WhatAKilledRecorderLeftCanBeRead) {
  const Scratch scratch, elsewhere;
  const std::string said = OnASmallDisk(scratch.path(), [&]() -> std::string {
    Database db = Database::OpenForRecording(elsewhere / "m.db");
    RecordRun(db, ARun("aaaa"), {"v1_7"}, {1024}, false);
    for (const char* name : {"m.db", "m.db-wal"}) fs::copy_file(elsewhere / name, scratch / name);
    Fill(scratch.path());
    return fmt::format("{} run", Database::OpenForReading(scratch / "m.db").Runs().size());
  });
  if (said.starts_with("no ")) GTEST_SKIP() << "this machine does not let a test mount a file system: " << said;
  EXPECT_EQ(said, "1 run");
}

TEST(FullDisk, RecordingGoesOnOnceThereIsRoom) {
  const Scratch scratch;
  const std::string said = InChild([&]() -> std::string {
    signal(SIGXFSZ, SIG_IGN);
    Database db = Database::OpenForRecording(scratch / "m.db");
    const RunId run = db.BeginRun(ARun("aaaa"));
    db.StoreStage(run, AStage("v1_7"), {});
    const LaunchId launch = db.StoreLaunch(run, ALaunch("v1_7", 1), {});
    const rlimit none{1, RLIM_INFINITY}, all{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &none);
    // The metric rows of this call are rolled back with it: their ids must not be remembered.
    if (ComplaintOf([&] { db.StoreReadings(launch, std::vector{AReading("inst_issued", 1)}); }).empty())
      return "was not refused";
    setrlimit(RLIMIT_FSIZE, &all);
    db.StoreReadings(launch, std::vector{AReading("inst_issued", 1)});
    return std::to_string(db.LoadKernel(launch).readings.size());
  });
  EXPECT_EQ(said, "1");
}

}  // namespace
}  // namespace culprit
