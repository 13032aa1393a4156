// SPDX-License-Identifier: Apache-2.0
// `culprit record --capture` and Ctrl-C, on a server without a GPU that launches until it is told to stop
// (fake_program.cpp). Every server that a test leaves running ends with the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "db/database.h"
#include "db/process.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

struct Ended {
  int status = 0;  // as a shell has it
  std::string err;
};

constexpr std::chrono::seconds kPatience{40};

template <class Condition>
bool Await(Condition condition) {
  for (const auto until = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < until;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// `culprit record` in a process group of its own, as a shell starts it.
class RecordedServer : public ::testing::Test {
 protected:
  ~RecordedServer() override {
    for (const char* word : {"serving", "untouched"})
      for (const pid_t pid : Servers(word)) kill(pid, SIGKILL);
    if (culprit_ > 0) kill(culprit_, SIGKILL), waitpid(culprit_, nullptr, 0);
  }

  void Start(const std::vector<std::string>& options, const std::vector<std::string>& does = {}) {
    std::vector<std::string> words = {CULPRIT_PROGRAM, "record", "--db", Db()};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", CULPRIT_FAKE_PROGRAM, "serve", Log()});
    words.insert(words.end(), does.begin(), does.end());
    StartWords(words);
  }

  // As a launcher does, two servers with ranks 0 and 3.
  void StartJob(const std::vector<std::string>& options) {
    std::vector<std::string> words = {CULPRIT_PROGRAM, "record", "--db", Db()};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "sh", "-c",
                               "for rank in 3 0; do WORLD_SIZE=4 RANK=$rank \"$0\" serve \"$1\" & done; wait; wait",
                               CULPRIT_FAKE_PROGRAM, Log()});
    StartWords(words);
  }

  void StartWords(std::vector<std::string> words) {
    std::filesystem::create_directory(scratch_ / "tmp");
    culprit_ = fork();
    if (culprit_ != 0) return;
    setpgid(0, 0);
    setenv("TMPDIR", (scratch_ / "tmp").c_str(), 1);
    setenv("CULPRIT_INJECT", CULPRIT_FAKE_PROGRAM, 1);
    for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "RANK", "WORLD_SIZE",
                                 "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"})
      unsetenv(variable);
    if (freopen((scratch_ / "err").c_str(), "w", stderr) == nullptr) _exit(1);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(1);
  }

  Ended End() {
    int status = 0;
    EXPECT_TRUE(Await([&] { return waitpid(culprit_, &status, WNOHANG) == culprit_; })) << Bytes(scratch_ / "err");
    culprit_ = 0;
    EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "tmp"));
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), Bytes(scratch_ / "err")};
  }
  Ended Record(const std::vector<std::string>& options, const std::vector<std::string>& does = {}) {
    Start(options, does);
    return End();
  }

  // The processes that wrote `word`, in order.
  std::vector<pid_t> Servers(const std::string& word) const {
    std::ifstream in(Log());
    std::vector<pid_t> pids;
    std::string what;
    for (pid_t pid = 0; in >> what >> pid;)
      if (what == word) pids.push_back(pid);
    return pids;
  }

  std::string Report() const {
    const std::string command = CULPRIT_PROGRAM " report --db '" + Db() + "' >'" + (scratch_ / "report").string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return Bytes(scratch_ / "report");
  }

  std::string Log() const { return (scratch_ / "log").string(); }
  std::string Db() const { return (scratch_ / "m.db").string(); }
  RunSummary OnlyRun() const {
    const std::vector<RunSummary> runs = Database::OpenForReading(Db()).Runs();
    EXPECT_THAT(runs, SizeIs(1));
    return runs.at(0);
  }
  std::vector<KernelRecord> Kernels() const {
    return Database::OpenForReading(Db()).LoadKernels(OnlyRun().id, Ordinals::kAll);
  }

  Scratch scratch_;
  pid_t culprit_ = 0;
};

constexpr double kUsPerS = 1e6;

TEST_F(RecordedServer, IsEndedAsSoonAsItIsCountedIfAskedTo) {
  const Ended ended = Record({"--profile", "core", "--end-when-counted"}, {"ends_after", "20"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(OnlyRun().state, "complete");
  EXPECT_THAT(ended.err, Not(HasSubstr("warning"))) << ended.err;
  const std::vector<KernelRecord> kernels = Kernels();
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_FALSE(kernels.front().readings.empty());
  EXPECT_THAT(Servers("serving"), SizeIs(2));
  EXPECT_THAT(Servers("ended"), SizeIs(2));
}

TEST_F(RecordedServer, IsNotEndedAndLeftRunning) {
  const Ended ended = Record({"--end-when-counted", "--leave-running"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("choose one of them"));
}

TEST_F(RecordedServer, IsRecordedInItsWindowAndThenEnded) {
  const Ended ended = Record({"--profile", "none", "--capture", "delay:0.3,duration:0.5"}, {"exit", "7"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const RunSummary run = OnlyRun();
  EXPECT_EQ(run.state, "complete");
  ASSERT_TRUE(run.run.program->wall_us);
  EXPECT_GE(*run.run.program->wall_us, 0.3 * kUsPerS);
  EXPECT_LE(*run.run.program->wall_us, 0.7 * kUsPerS) << "of the window, not of the program";
  EXPECT_LE(*run.run.program->span_us, *run.run.program->wall_us + 1000);
  EXPECT_EQ(run.run.program->exit_status, 7) << "at SIGTERM";
  EXPECT_EQ(run.run.program->lost_launches, 0);
  EXPECT_THAT(Kernels(), SizeIs(1));
  EXPECT_THAT(Servers("ended"), SizeIs(1)) << "by SIGTERM";
  EXPECT_THAT(ended.err, Not(HasSubstr("did not report their end")));
  EXPECT_THAT(Report(), HasSubstr("Window       delay:0.3,duration:0.5, open for "));
  EXPECT_THAT(Report(), Not(HasSubstr("Pid"))) << "one process without a rank";
}

TEST_F(RecordedServer, IsCountedInAWindowOfASecondExecution) {
  const Ended ended = Record({"--capture", "duration:0.3"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(Servers("ended"), SizeIs(2));
  ASSERT_THAT(Kernels(), SizeIs(1));
  EXPECT_EQ(Kernels()[0].program->counted, 3);
  EXPECT_THAT(ended.err, Not(HasSubstr("warning")));
}

TEST_F(RecordedServer, LivesOnWhereAsked) {
  const Ended ended = Record({"--leave-running", "--capture", "duration:0.3"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const std::vector<pid_t> servers = Servers("serving");
  ASSERT_THAT(servers, SizeIs(2)) << ended.err;
  EXPECT_EQ(Servers("ended"), std::vector{servers[0]}) << "the one before the last";
  EXPECT_TRUE(FindProcess(servers[1]));
  EXPECT_THAT(ended.err, HasSubstr("goes on running as process " + std::to_string(servers[1])));
  EXPECT_EQ(Kernels().at(0).program->counted, 3);
  kill(servers[1], SIGTERM);
  EXPECT_TRUE(Await([&] { return Servers("ended").size() == 2; })) << "it does what it did";
}

TEST_F(RecordedServer, IsRecordedBetweenCallsOfTheProfilerApi) {
  Start({"--profile", "none", "--capture", "profiler-api"}, {"profile_after", "20"});
  ASSERT_TRUE(Await([&] { return Servers("serving").size() == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(Servers("serving").at(0), SIGTERM);
  const Ended ended = End();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(Kernels().at(0).program->calls, 20);
  EXPECT_LE(*OnlyRun().run.program->wall_us, 0.2 * kUsPerS);
}

TEST_F(RecordedServer, SaysWhereTheWindowDidNotOpen) {
  Start({"--profile", "none", "--capture", "nvtx:decode"});
  ASSERT_TRUE(Await([&] { return Servers("serving").size() == 1; }));
  kill(Servers("serving").at(0), SIGTERM);
  const Ended ended = End();
  EXPECT_THAT(ended.err, HasSubstr("the window that --capture names did not open in " CULPRIT_FAKE_PROGRAM));
  EXPECT_FALSE(std::filesystem::exists(Db()));
}

TEST_F(RecordedServer, KeepsEverythingAtCtrlCWhichTheProgramGetsToo) {
  Start({}, {"profile_after", "1"});
  ASSERT_TRUE(Await([&] { return Servers("serving").size() == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(-culprit_, SIGINT);
  const Ended ended = End();
  EXPECT_EQ(ended.status, 128 + SIGINT) << "the program's";
  EXPECT_THAT(Servers("serving"), SizeIs(1)) << "no second execution";
  EXPECT_GE(Kernels().at(0).program->calls, 20);
  EXPECT_EQ(OnlyRun().state, "complete");
}

TEST_F(RecordedServer, ThatIgnoresCtrlCIsStoredBeforeItEnds) {
  Start({}, {"deaf"});
  ASSERT_TRUE(Await([&] { return Servers("serving").size() == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(-culprit_, SIGINT);
  ASSERT_TRUE(Await([&] { return Bytes(scratch_ / "err").find("waiting for") != std::string::npos; }));
  EXPECT_EQ(OnlyRun().state, "complete");
  EXPECT_FALSE(OnlyRun().run.program->exit_status);
  EXPECT_GE(Kernels().at(0).program->calls, 20);
  EXPECT_THAT(Bytes(scratch_ / "err"), Not(HasSubstr("did not report their end"))) << "the trace is complete";
  kill(Servers("serving").at(0), SIGTERM);
  EXPECT_EQ(End().status, 0) << "the program's";
}

TEST_F(RecordedServer, ASecondCtrlCGivesUpAtOnce) {
  Start({}, {"deaf"});
  ASSERT_TRUE(Await([&] { return Servers("serving").size() == 1; }));
  const pid_t server = Servers("serving").at(0);
  kill(-culprit_, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(-culprit_, SIGINT);
  int status = 0;
  EXPECT_TRUE(Await([&] { return waitpid(culprit_, &status, WNOHANG) == culprit_; }));
  culprit_ = 0;
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_TRUE(Await([&] { return !FindProcess(server); })) << "it does not outlive the recording";
}

TEST_F(RecordedServer, ASignalThatComesTwiceAtOnceIsOne) {
  Start({}, {"profile_after", "1"});
  ASSERT_TRUE(Await([&] { return Servers("serving").size() == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(culprit_, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(-culprit_, SIGINT);
  EXPECT_EQ(End().status, 128 + SIGINT);
  EXPECT_EQ(OnlyRun().state, "complete");
}

TEST_F(RecordedServer, DoesNotGetCtrlCWhereItIsLeftRunning) {
  Start({"--leave-running"});
  ASSERT_TRUE(Await([&] { return Servers("serving").size() == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(-culprit_, SIGINT);
  EXPECT_EQ(End().status, 0);
  EXPECT_TRUE(FindProcess(Servers("serving").at(0)));
  EXPECT_THAT(Servers("ended"), IsEmpty());
  EXPECT_GE(Kernels().at(0).program->calls, 20);
}

std::vector<std::optional<int>> RanksOf(const RunSummary& run) {
  std::vector<std::optional<int>> ranks;
  for (const ProgramProcess& process : run.run.program->gpu_processes) ranks.push_back(process.rank);
  return ranks;
}

TEST_F(RecordedServer, RanksOfAJobAreOneRunAndAreToldApart) {
  StartJob({"--profile", "none", "--capture", "duration:0.4"});
  const Ended ended = End();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(RanksOf(OnlyRun()), ::testing::UnorderedElementsAre(0, 3));
  EXPECT_THAT(ended.err, HasSubstr("; ranks 0, 3\n"));
  EXPECT_THAT(Report(), ::testing::ContainsRegex("Rank  Process +Pid  Calls +GPU time\n +0 .*\n +3 "));
  std::int64_t calls = 0;
  const RunSummary run = OnlyRun();
  for (const ProgramProcess& process : run.run.program->gpu_processes) {
    calls += process.calls;
    EXPECT_NEAR(process.time_us, 500.0 * static_cast<double>(process.calls), 0.2 * process.time_us);
  }
  EXPECT_EQ(Kernels().at(0).program->calls, calls);
}

TEST_F(RecordedServer, OnlyTheRanksThatWereChosenAreRecorded) {
  StartJob({"--profile", "none", "--ranks", "3,7", "--capture", "duration:0.4"});
  const Ended ended = End();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(RanksOf(OnlyRun()), ::testing::ElementsAre(3));
  ASSERT_THAT(Servers("untouched"), SizeIs(1));
  EXPECT_TRUE(Await([&] { return !FindProcess(Servers("untouched").at(0)); })) << "it ends with the others";
}

TEST_F(RecordedServer, RefusesRanksThatAreNone) {
  for (const char* ranks : {"x", "1,", ",1", "-1", "1 2"}) {
    const Ended ended = Record({"--ranks", ranks});
    EXPECT_EQ(ended.status, 2) << ranks;
    EXPECT_THAT(ended.err, HasSubstr("--ranks takes ranks with commas between them, as 0,3")) << ranks;
  }
  EXPECT_THAT(Servers("serving"), IsEmpty());
}

TEST_F(RecordedServer, RefusesACaptureThatItDoesNotKnow) {
  const Ended ended = Record({"--capture", "after:5"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("--capture takes delay:S,duration:S"));
  EXPECT_THAT(Servers("serving"), IsEmpty());
}

}  // namespace
}  // namespace culprit
