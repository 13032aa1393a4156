// SPDX-License-Identifier: Apache-2.0
#include "bench/program/reporting_processes.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>

#include "bench/program/pipe.h"
#include "db/error.h"

namespace culprit {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A shell that knows its two pipes.
ReportingTask Shell(const std::string& script, const TracePlan& plan = {}) {
  return {{"sh", "-c", "pipes=${0#--culprit-parent=}; plan=/dev/fd/${pipes%,*}; report=/dev/fd/${pipes#*,}; " + script},
          plan};
}

std::map<std::size_t, EndedProcess> RunScripts(const std::vector<std::string>& scripts, std::size_t at_a_time = 4,
                                               milliseconds deadline = std::chrono::minutes(1)) {
  std::vector<ReportingTask> tasks;
  for (const std::string& script : scripts) tasks.push_back(Shell(script));
  std::map<std::size_t, EndedProcess> ended;
  ReportingProcesses("/bin/sh", tasks, {at_a_time, deadline}).Finish([&](std::size_t i, const EndedProcess& process) {
    ended[i] = process;
  });
  return ended;
}

// No child of this process is left, running or not reaped.
void ExpectNoChildren() {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ReportingProcesses, KeepReportsApartFromWhatTheWorkloadPrints) {
  const auto ended = RunScripts({"printf 'no newline'; echo '{\"readings\":{}}' > $report; echo after",
                                 "printf before; printf tail > $report; printf 'after, no newline'"});
  EXPECT_EQ(ended.at(0).report, "{\"readings\":{}}\n");
  EXPECT_EQ(ended.at(1).report, "tail");
  ExpectNoChildren();
}

TEST(ReportingProcesses, AllRunWhateverTheNumberAtATime) {
  for (const std::size_t at_a_time : {1, 2, 5}) {
    const auto ended = RunScripts({"echo 0 > $report", "echo 1 > $report", "echo 2 > $report"}, at_a_time);
    ASSERT_EQ(ended.size(), 3u);
    for (const auto& [i, process] : ended) EXPECT_EQ(process.report, std::to_string(i) + "\n");
  }
}

TEST(ReportingProcesses, TellHowTheyEnded) {
  const auto ended = RunScripts({"exit 3", "kill -9 $$", "true"});
  EXPECT_EQ(WEXITSTATUS(ended.at(0).status), 3);
  ASSERT_TRUE(WIFSIGNALED(ended.at(1).status));
  EXPECT_EQ(WTERMSIG(ended.at(1).status), 9);
  EXPECT_EQ(ended.at(2).status, 0);
  for (const auto& [i, process] : ended) {
    EXPECT_EQ(process.report, "") << i;
    EXPECT_FALSE(process.overdue) << i;
  }
}

TEST(ReportingProcesses, AreEndedWhenTheyHang) {
  const auto begin = steady_clock::now();
  const auto ended = RunScripts({"echo half > $report; exec sleep 600", "echo whole > $report"}, 1, milliseconds(300));
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_TRUE(ended.at(0).overdue);
  EXPECT_EQ(ended.at(0).report, "half\n");
  EXPECT_TRUE(WIFSIGNALED(ended.at(0).status));
  EXPECT_FALSE(ended.at(1).overdue) << "each has its own time";
  EXPECT_EQ(ended.at(1).report, "whole\n");
  ExpectNoChildren();
}

TEST(ReportingProcesses, CarryMegabytes) {
  EXPECT_EQ(RunScripts({"head -c 3000000 /dev/zero > $report"}).at(0).report.size(), 3'000'000u);
}

TEST(ReportingProcesses, AreReapedWhenTheirOutcomeCannotBeStored) {
  EXPECT_THROW(ReportingProcesses("/bin/sh", {Shell("exec sleep 600"), Shell("true")}, {2, std::chrono::minutes(5)})
                   .Finish([](std::size_t, const EndedProcess&) { throw Error("the disk is full"); }),
               Error);
  ExpectNoChildren();
}

TEST(ReportingProcesses, AreErrorsWhenTheyCannotBeStarted) {
  EXPECT_THROW(ReportingProcesses("/no/such/program", {{{"program"}, {}}}, {1, std::chrono::minutes(1)}), Error);
  ExpectNoChildren();
}

// One that says that it is ready and, when it may begin, whether it was let in before `file` existed.
ReportingTask Waiting(const std::string& file) {
  return Shell("echo ready > $report; cat $plan > /dev/null; test -e " + file + " && echo late > $report");
}

TEST(ReportingProcesses, GetReadyBeforeTheyMayBegin) {
  const std::string file = testing::TempDir() + "/go";
  std::filesystem::remove(file);
  ReportingProcesses processes("/bin/sh", {Waiting(file), Waiting(file), Waiting(file)}, {2, std::chrono::minutes(1)});
  processes.AwaitFirstWords();
  std::ofstream(file) << "now";
  std::map<std::size_t, std::string> reports;
  processes.Finish([&](std::size_t i, const EndedProcess& process) { reports[i] = process.report; });
  const std::string waited = "ready\nlate\n";
  EXPECT_EQ(reports, (std::map<std::size_t, std::string>{{0, waited}, {1, waited}, {2, waited}}));
  ExpectNoChildren();
}

TEST(ReportingProcesses, AreNotAwaitedWhenTheyEndOrHangBeforeTheyAreReady) {
  ReportingProcesses processes("/bin/sh", {Shell("exit 3"), Shell("exec sleep 600")}, {2, milliseconds(300)});
  processes.AwaitFirstWords();
  std::map<std::size_t, EndedProcess> ended;
  processes.Finish([&](std::size_t i, const EndedProcess& process) { ended[i] = process; });
  EXPECT_EQ(WEXITSTATUS(ended.at(0).status), 3);
  EXPECT_TRUE(ended.at(1).overdue);
  ExpectNoChildren();
}

TEST(ReportingProcesses, AreToldTheirPlan) {
  TracePlan plan{.mode = TraceMode::kSample, .sampling_period = 9, .jobs = {"sgemm/v0/64x64x64", "a,b/1\t"}};
  for (int i = 0; i < 5'000; ++i)
    plan.jobs.push_back("a job of a long name that no pipe holds without asking/" + std::to_string(i));
  std::string told;
  ReportingProcesses("/bin/sh", {Shell("exec cat $plan > $report", plan)}, {1, std::chrono::minutes(1)})
      .Finish([&](std::size_t, const EndedProcess& process) { told = process.report; });
  ASSERT_TRUE(told.ends_with("\n\n"));
  told.pop_back();
  const TracePlan read = ParsePlan(told, "plan");
  EXPECT_EQ(read.mode, TraceMode::kSample);
  EXPECT_EQ(read.sampling_period, 9);
  EXPECT_EQ(read.jobs, plan.jobs);
}

// As a benchmark of ours does it.
TEST(ParentProcess, GivesThePlanAndTakesTheReport) {
  ProcessPipe plan, report;
  ASSERT_TRUE(WriteAll(plan.write(), PlanText({.mode = TraceMode::kTime, .is_verified = true}) + "\n"));
  ParentProcess parent(fmt::format("{},{}", plan.read(), report.write()));
  EXPECT_TRUE(parent.ReadPlan().is_verified);
  plan.CloseWrite();
  parent.AwaitGo();
  {
    TraceWriter trace(parent.report());
    trace.Warn({"code", "a\tb"});
  }
  report.CloseWrite();
  EndedProcess ended;
  ended.report.resize(100);
  ended.report.resize(static_cast<std::size_t>(ReadSome(report.read(), ended.report.data(), ended.report.size())));
  ASSERT_EQ(ended.Trace().warnings.size(), 1u);
  EXPECT_EQ(ended.Trace().warnings[0].text, "a\tb");
  EXPECT_THROW(ParentProcess("5"), Error);
}

TEST(EndedProcess, ThatWroteNothingHasAnEmptyTrace) { EXPECT_TRUE(EndedProcess().Trace().warnings.empty()); }

}  // namespace
}  // namespace culprit
