// SPDX-License-Identifier: Apache-2.0
#include "bench/reporting_processes.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>

#include "db/error.h"

namespace culprit {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A shell that finds in $0 what it reports on.
std::vector<std::string> Shell(const std::string& script) { return {"sh", "-c", "report=/dev/fd/$0; " + script}; }

std::map<std::size_t, EndedProcess> RunScripts(const std::vector<std::string>& scripts, std::size_t at_a_time = 4,
                                               milliseconds deadline = std::chrono::minutes(1)) {
  std::vector<std::vector<std::string>> commands;
  for (const std::string& script : scripts) commands.push_back(Shell(script));
  std::map<std::size_t, EndedProcess> ended;
  ReportingProcesses("/bin/sh", commands, {""}, {at_a_time, deadline})
      .Finish([&](std::size_t i, const EndedProcess& process) { ended[i] = process; });
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
  EXPECT_THROW(
      ReportingProcesses("/bin/sh", {Shell("exec sleep 600"), Shell("true")}, {""}, {2, std::chrono::minutes(5)})
          .Finish([](std::size_t, const EndedProcess&) { throw Error("the disk is full"); }),
      Error);
  ExpectNoChildren();
}

TEST(ReportingProcesses, AreErrorsWhenTheyCannotBeStarted) {
  EXPECT_THROW(ReportingProcesses("/no/such/program", {{"program"}}, {""}, {1, std::chrono::minutes(1)}), Error);
  ExpectNoChildren();
}

// One that says that it is ready and, when it may begin, that it was not let in before $1 existed.
std::vector<std::string> Waiting(const std::string& file) {
  return {"sh", "-c", "echo ready > /dev/fd/$1; cat /dev/fd/${2#go=}; test -e $0 && echo late > /dev/fd/$1", file};
}

TEST(ReportingProcesses, GetReadyBeforeTheyMayBegin) {
  const std::string file = testing::TempDir() + "/go";
  std::filesystem::remove(file);
  ReportingProcesses processes("/bin/sh", {Waiting(file), Waiting(file), Waiting(file)}, {"", "go="},
                               {2, std::chrono::minutes(1)});
  processes.AwaitFirstWords();
  std::ofstream(file) << "now";
  std::map<std::size_t, std::string> reports;
  processes.Finish([&](std::size_t i, const EndedProcess& process) { reports[i] = process.report; });
  const std::string waited = "ready\nlate\n";
  EXPECT_EQ(reports, (std::map<std::size_t, std::string>{{0, waited}, {1, waited}, {2, waited}}));
  ExpectNoChildren();
}

TEST(ReportingProcesses, AreNotAwaitedWhenTheyEndOrHangBeforeTheyAreReady) {
  ReportingProcesses processes("/bin/sh", {Shell("exit 3"), Shell("exec sleep 600")}, {""}, {2, milliseconds(300)});
  processes.AwaitFirstWords();
  std::map<std::size_t, EndedProcess> ended;
  processes.Finish([&](std::size_t i, const EndedProcess& process) { ended[i] = process; });
  EXPECT_EQ(WEXITSTATUS(ended.at(0).status), 3);
  EXPECT_TRUE(ended.at(1).overdue);
  ExpectNoChildren();
}

}  // namespace
}  // namespace culprit
