// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "db/database.h"
#include "db/process.h"
#include "tests/support/child_process.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

TEST(RunState, IsCompleteOnceFinished) {
  const Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  const RunId run = db.BeginRun(ARun("aaaa"));
  EXPECT_EQ(db.FindRun({}).state, "running");
  db.FinishRun(run);
  EXPECT_EQ(db.FindRun({}).state, "complete");
  EXPECT_TRUE(db.FindRun({}).finished_utc.has_value());
}

TEST(RunState, IsInterruptedWhenItsProcessIsGone) {
  const Scratch scratch;
  InChild([&]() -> std::string {
    Database db = Database::OpenForRecording(scratch / "m.db");
    db.BeginRun(ARun("aaaa"));
    return "";
  });
  EXPECT_EQ(Database::OpenForReading(scratch / "m.db").FindRun({}).state, "interrupted");
}

TEST(RunState, IsInterruptedAfterAReboot) {
  const Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  db.BeginRun(ARun("aaaa"));
  RawSqlite(scratch / "m.db").Execute("UPDATE run SET boot_id = 'another boot'");
  EXPECT_EQ(db.FindRun({}).state, "interrupted");
}

TEST(RunState, IsInterruptedWhenItsPidBelongsToAnotherProcess) {
  const Scratch scratch;
  Database db = Database::OpenForRecording(scratch / "m.db");
  db.BeginRun(ARun("aaaa"));
  RawSqlite(scratch / "m.db").Execute("UPDATE run SET process_start = process_start - 1");
  EXPECT_EQ(db.FindRun({}).state, "interrupted");
}

TEST(ProcessStamp, KnowsThisProcess) {
  const ProcessStamp self = ThisProcess();
  EXPECT_TRUE(IsAlive(self));
  EXPECT_FALSE(self.boot_id.empty());
  EXPECT_GT(self.start, 0);
}

TEST(ProcessStamp, TakesAProcessThatNobodyWaitedForAsGone) {
  BackgroundChild child([](int report) {
    dprintf(report, "%lld ", static_cast<long long>(ThisProcess().start));
    pause();
  });
  ASSERT_TRUE(child.WaitForReport());
  ProcessStamp stamp = ThisProcess();
  stamp.pid = child.pid();
  stamp.start = std::stoll(child.Reports());
  EXPECT_TRUE(IsAlive(stamp));
  kill(child.pid(), SIGKILL);
  siginfo_t ended;
  waitid(P_PID, child.pid(), &ended, WEXITED | WNOWAIT);  // a zombie from here on, until `child` goes
  EXPECT_FALSE(IsAlive(stamp));
}

}  // namespace
}  // namespace culprit
