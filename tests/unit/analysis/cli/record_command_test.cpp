// SPDX-License-Identifier: Apache-2.0
// `culprit record` on a program without a GPU that writes traces as the injected library does (fake_program.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "analysis/launch/kernel_view.h"
#include "db/database.h"
#include "db/sampled_counters.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/support/shell_word.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ShellWord;
using ::testing::SizeIs;

struct Ended {
  int status = 0;
  std::string out, err;
};

class Record : public ::testing::Test {
 protected:
  // In a shell, with `culprit` and `fake` for the two programs.
  Ended Shell(const std::string& script) {
    std::filesystem::create_directory(scratch_ / "tmp");
    Write(scratch_ / "script", "cd " + ShellWord(scratch_.path()) + "\nculprit() { " + ShellWord(CULPRIT_PROGRAM) +
                                   " \"$@\"; }\nmkdir -p links; ln -sf " + ShellWord(CULPRIT_FAKE_PROGRAM) +
                                   " links\nfake=$PWD/links/culprit_fake_program\nexport TMPDIR=$PWD/tmp "
                                   "CULPRIT_INJECT=$fake\nunset CUDA_INJECTION64_PATH "
                                   "NVTX_INJECTION64_PATH CULPRIT_DB\n" +
                                   script + "\n");
    const int status = std::system(("sh " + ShellWord(scratch_ / "script") + " >" + ShellWord(scratch_ / "out") +
                                    " 2>" + ShellWord(scratch_ / "err"))
                                       .c_str());
    EXPECT_THAT(Left(), IsEmpty()) << "what a recording leaves in the folder for temporary files";
    return {WEXITSTATUS(status), Bytes(scratch_ / "out"), Bytes(scratch_ / "err")};
  }

  std::vector<std::string> Left() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "tmp"))
      names.push_back(entry.path().string());
    return names;
  }

  // As $fake has it.
  std::string Fake() const { return (scratch_.path() / "links" / "culprit_fake_program").string(); }

  Database Stored() { return Database::OpenForReading(scratch_ / "culprit.db"); }
  RunSummary OnlyRun() {
    const std::vector<RunSummary> runs = Stored().Runs();
    EXPECT_THAT(runs, SizeIs(1));
    return runs.at(0);
  }
  std::vector<KernelRecord> Kernels() { return Stored().LoadKernels(OnlyRun().id, Ordinals::kAll); }

  Scratch scratch_;
};

TEST_F(Record, StoresTimesAndCountersAndPassesTheOutputThroughOnce) {
  const Ended ended = Shell("culprit record --label before -- $fake print hello print_error careful exit 3");
  EXPECT_EQ(ended.status, 3) << ended.err;
  EXPECT_EQ(ended.out, "hello\n");
  EXPECT_THAT(ended.err, HasSubstr("careful\n"));
  EXPECT_EQ(ended.err.find("careful\n"), ended.err.rfind("careful\n"));
  EXPECT_THAT(ended.err, HasSubstr("a second time"));
  EXPECT_THAT(ended.err, HasSubstr("culprit show gather_rows"));
  EXPECT_THAT(ended.err, HasSubstr("of work on the GPU, idle"));
  const RunSummary run = OnlyRun();
  EXPECT_EQ(run.state, "complete");
  EXPECT_EQ(run.run.label, "before");
  EXPECT_THAT(run.run.command_line, HasSubstr("print hello"));
  ASSERT_TRUE(run.run.program);
  EXPECT_EQ(run.run.program->exit_status, 3);
  EXPECT_EQ(run.run.program->lost_launches, 0);
  EXPECT_TRUE(run.run.program->counted_wall_us);
  const std::vector<KernelRecord> kernels = Kernels();
  ASSERT_THAT(kernels, SizeIs(4));
  EXPECT_EQ(kernels[0].stage.id, "gather_rows");
  EXPECT_EQ(kernels[0].stage.source_line, 17);
  EXPECT_THAT(kernels[0].samples, SizeIs(100));
  ASSERT_TRUE(kernels[0].program);
  EXPECT_EQ(kernels[0].program->calls, 100);
  EXPECT_EQ(kernels[0].program->nvtx, "step #/forward");
  EXPECT_EQ(kernels[0].program->counted, 3);
  EXPECT_EQ(kernels[0].launch.shape, "1024x1x1x256x1x1");
  EXPECT_EQ(kernels[0].run.run.device->name, "NVIDIA H200");
  const auto counted =
      std::ranges::find(kernels[0].readings, "sm_inst_executed", [](const Reading& r) { return r.metric.id; });
  ASSERT_NE(counted, kernels[0].readings.end());
  EXPECT_EQ(counted->value, 1000 + 50);  // of launches 1, 50 and 99
  EXPECT_THAT(kernels[3].program->not_counted, HasSubstr("use -k"));
}

bool HasReading(const KernelRecord& kernel, std::string_view id, std::string_view source) {
  return std::ranges::any_of(kernel.readings,
                             [&](const Reading& r) { return r.metric.id == id && r.metric.source == source; });
}

TEST_F(Record, SamplesAllKernelsInTwoExecutions) {
  const Ended ended = Shell("culprit record -- $fake lists 5 print hello");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "hello\n");
  EXPECT_THAT(ended.err, Not(HasSubstr("replay")));
  EXPECT_THAT(ended.err, Not(HasSubstr("read counters")));
  EXPECT_THAT(ended.err, HasSubstr("once more to sample instructions"));
  EXPECT_EQ(OnlyRun().run.profile, "sampled");
  const std::vector<KernelRecord> kernels = Kernels();
  ASSERT_THAT(kernels, SizeIs(4));
  EXPECT_TRUE(HasReading(kernels[0], "inst_executed", "sampled"));
  EXPECT_FALSE(HasReading(kernels[0], "sm_inst_executed", "range"));
  EXPECT_THAT(kernels[0].program->not_counted, IsEmpty());
  EXPECT_THAT(kernels[3].program->not_counted, HasSubstr("culprit record -k rare"))
      << "a microsecond in all, which samples do not tell apart";
}

TEST_F(Record, AlsoCountsNamedKernelsExactly) {
  const Ended ended = Shell("culprit record -k gather_rows -- $fake lists 5");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("read counters of 2 kernels"));
  EXPECT_EQ(OnlyRun().run.profile, "sampled");
  const std::vector<KernelRecord> kernels = Kernels();
  EXPECT_TRUE(HasReading(kernels[0], "inst_executed", "sampled"));
  EXPECT_TRUE(HasReading(kernels[0], "sm_inst_executed", "range"));
  EXPECT_TRUE(HasReading(kernels[0], "sass_inst", "sass"));
  EXPECT_FALSE(HasReading(kernels[1], "sm_inst_executed", "range"));
  EXPECT_TRUE(HasReading(kernels[1], "inst_executed", "sampled"));
  EXPECT_THAT(kernels[1].program->not_counted, IsEmpty()) << "it has counters";
  EXPECT_TRUE(Stored().Sampling(kernels[0].id));
}

TEST_F(Record, KeepsSampledCountersOfAKernelThatCannotBeReplayed) {
  const Ended ended = Shell("culprit record -k gather_rows -- $fake lists 5 hang gather_rows");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("gather_rows was not replayed"));
  EXPECT_TRUE(HasReading(Kernels()[0], "inst_executed", "sampled"));
  EXPECT_THAT(Kernels()[0].program->not_counted, IsEmpty());
}

TEST_F(Record, ReplaysAProgramThatIsTooShortToSampleAllCounters) {
  const Ended ended = Shell("culprit record -- $fake lists 2");
  EXPECT_THAT(ended.err,
              HasSubstr("some counters were not sampled while most kernels ran, so kernels are also replayed"));
  EXPECT_THAT(ended.err, Not(HasSubstr("warning: some counters were not sampled")));
  EXPECT_EQ(OnlyRun().run.profile, "sampled");
  EXPECT_TRUE(HasReading(Kernels()[0], "inst_executed", "sampled"));
  EXPECT_TRUE(HasReading(Kernels()[0], "sm_inst_executed", "range"));
  EXPECT_TRUE(Stored().Sampling(Kernels()[0].id));
}

TEST_F(Record, SaysNothingOfAReplayThatDoesNotFit) {
  const Ended ended = Shell("culprit record -- $fake lists 2 memory 120000000000");
  EXPECT_THAT(ended.err, Not(HasSubstr("also replayed")));
  EXPECT_THAT(ended.err, HasSubstr("gather_rows is not replayed: that would take about"));
  EXPECT_THAT(ended.err, HasSubstr("warning: some counters were not sampled while kernels ran"));
}

TEST_F(Record, SamplesCountersInOneExecutionIfThatIsAskedFor) {
  const Ended ended = Shell("culprit record --profile counters -- $fake lists 2");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("once more")));
  EXPECT_TRUE(HasReading(Kernels()[0], "inst_executed", "sampled"));
  EXPECT_FALSE(Stored().Sampling(Kernels()[0].id));
}

TEST_F(Record, SaysWhichCountersAPartOfTheKernelsLacks) {
  const Ended ended = Shell("culprit record -- $fake lists 5 brief kernels 200");
  const std::span<const CounterTurn> lists = CounterTurnsOn("GH100");
  EXPECT_THAT(ended.err, Not(HasSubstr("replayed")));
  EXPECT_THAT(ended.err, Not(HasSubstr(std::string(lists[0].what))));
  for (const CounterTurn& list : lists.subspan(1))
    EXPECT_THAT(ended.err,
                HasSubstr(std::string(list.what) + " (missing for 36.5 % of the kernels' time, as for kernel_0)"));
  const Ended named = Shell("culprit record --db named.db -k rows -- $fake lists 5 brief kernels 200");
  EXPECT_THAT(named.err, HasSubstr("They were measured for the kernels that -k names."));
}

TEST_F(Record, SaysWhichCountersAShortProgramLacksIfSamplesAloneWereAskedFor) {
  const Ended ended = Shell("culprit record --profile sampled -- $fake lists 2");
  EXPECT_THAT(ended.err, HasSubstr("warning: some counters were not sampled while kernels ran: "));
  EXPECT_THAT(ended.err, HasSubstr("This counts them for kernels whose names match: culprit record -k REGEX -- " +
                                   Fake() + " lists 2\n"));
  const std::span<const CounterTurn> lists = CounterTurnsOn("GH100");
  for (std::size_t i = 0; i < lists.size(); ++i)
    EXPECT_EQ(ended.err.find(lists[i].what) != std::string::npos, i >= 2) << lists[i].what;
  EXPECT_THAT(ended.err, Not(HasSubstr("replayed")));
  EXPECT_EQ(OnlyRun().run.profile, "sampled");
  EXPECT_TRUE(HasReading(Kernels()[0], "inst_executed", "sampled"));
  EXPECT_FALSE(HasReading(Kernels()[0], "sm_inst_executed", "range"));
  EXPECT_TRUE(Stored().Sampling(Kernels()[0].id));
  const Ended named = Shell("culprit record --db named.db -k rows -- $fake lists 2");
  EXPECT_THAT(named.err, HasSubstr("They were measured for the kernels that -k names."));
  EXPECT_THAT(Shell("culprit record --db all.db -- $fake lists 5").err, Not(HasSubstr("not sampled while")));
}

TEST_F(Record, ReplaysWhereTheGpuSamplesNoCounters) {
  const Ended ended = Shell("culprit record -- $fake");
  EXPECT_THAT(ended.err, HasSubstr("no counters could be sampled while the program ran, so kernels are replayed"));
  EXPECT_EQ(OnlyRun().run.profile, "core");
  EXPECT_EQ(Shell("culprit record --db named.db -k rows -- $fake").status, 0);
  EXPECT_EQ(Database::OpenForReading(scratch_ / "named.db").Runs().front().run.profile, "full") << "named ones exactly";
}

TEST_F(Record, TriesSamplesOfInstructionsWhereCountersAreRefused) {
  for (const std::string refusal : {"denied", "held"}) {
    const Ended ended = Shell("rm -f culprit.db; culprit record -- $fake " + refusal);
    EXPECT_THAT(ended.err, HasSubstr("warning: no counters were sampled: " + refusal + "\n"));
    EXPECT_THAT(ended.err, Not(HasSubstr("replayed")));
    EXPECT_THAT(ended.err, HasSubstr("running it once more to sample instructions"));
    EXPECT_EQ(OnlyRun().run.profile, "none");
    EXPECT_TRUE(Stored().Sampling(Kernels()[0].id)) << refusal;
    EXPECT_THAT(KernelView(Kernels()[0]).WhyNotCounted(),
                HasSubstr(refusal == "denied" ? "culprit doctor" : "switch it off"));
  }
  EXPECT_THAT(Shell("culprit record --db named.db -k rows -- $fake denied").err, HasSubstr("-k counts nothing"));
}

TEST_F(Record, SaysInOneSentenceThatCountersAndSamplesAreRefused) {
  const Ended ended = Shell("culprit record -- $fake denied not_sampled");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err.find("warning: "), ended.err.rfind("warning: ")) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("warning: no counters were sampled: denied\n"));
  EXPECT_FALSE(Kernels().at(0).samples.empty());
}

TEST_F(Record, RunsAProgramNoThirdTimeUnlessCountersWereAskedFor) {
  const Ended ended = Shell("culprit record -- $fake hang gather_rows");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("running it again")));
  EXPECT_THAT(ended.err, HasSubstr("ended at a kernel that cannot be replayed"));
  EXPECT_THAT(Kernels()[0].program->not_counted, HasSubstr("did not come back"));
  EXPECT_THAT(Shell("culprit record --db asked.db --profile core -- $fake hang gather_rows").err,
              HasSubstr("running it again"));
}

TEST_F(Record, WithoutAProfileItRunsOnce) {
  const Ended ended = Shell("culprit record --profile none $fake fail 4");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("a second time")));
  EXPECT_FALSE(OnlyRun().run.program->counted_wall_us);
  EXPECT_THAT(Kernels().at(0).program->not_counted, IsEmpty());
}

TEST_F(Record, WithTheFullProfileTheHeaviestKernelsGetExactCountsToo) {
  const Ended ended = Shell("culprit record --profile full -- $fake print hello");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "hello\n");
  EXPECT_THAT(ended.err, HasSubstr("3 more times"));
  const std::vector<KernelRecord> kernels = Kernels();
  const auto value = [&](std::size_t kernel, const std::string& id) -> std::optional<double> {
    for (const Reading& r : kernels.at(kernel).readings)
      if (r.metric.id == id) return r.value;
    return std::nullopt;
  };
  EXPECT_EQ(value(0, "sm_inst_executed"), 1000 + 50) << "what was counted before stays";
  EXPECT_EQ(value(0, "sass_inst"), 2000 + 1) << "of launch 1, the first that is planned";
  EXPECT_THAT(Stored().Instructions(kernels[0].id), SizeIs(1));
  EXPECT_EQ(kernels[0].program->counted, 3);
  EXPECT_EQ(value(3, "sass_inst"), std::nullopt) << "a kernel that was not to be counted";
  EXPECT_EQ(Shell("culprit record --profile full --db b.db $fake hang gather_rows").status, 0);
}

TEST_F(Record, SamplesGoToTheLaunchesWithMostTime) {
  const Ended ended = Shell("culprit record --profile lines -- $fake print hello");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "hello\n");
  EXPECT_THAT(ended.err, HasSubstr("once more to sample instructions"));
  EXPECT_THAT(ended.err, Not(HasSubstr("to read counters")));
  EXPECT_THAT(ended.err, HasSubstr("60000 of 120000 samples are of functions that kernels call"));
  EXPECT_EQ(OnlyRun().run.profile, "none") << "of counters";
  const std::vector<KernelRecord> kernels = Kernels();
  EXPECT_EQ(kernels.at(0).stage.id, "gather_rows");
  const std::optional<SamplingRecord> sampling = Stored().Sampling(kernels[0].id);
  ASSERT_TRUE(sampling);
  EXPECT_EQ(sampling->samples, 60'000);
  EXPECT_EQ(sampling->launches, 101);
  ASSERT_THAT(sampling->rows, SizeIs(2));
  EXPECT_EQ(sampling->rows[0].not_issued, 45'000);
  ASSERT_THAT(sampling->code, SizeIs(1));
  EXPECT_THAT(sampling->code[0].instructions, SizeIs(3));
  for (std::size_t i = 1; i < kernels.size(); ++i) EXPECT_FALSE(Stored().Sampling(kernels[i].id)) << i;
}

TEST_F(Record, AddsUpSamplesOfProcessesThatHaveTheSameCode) {
  Shell("culprit record --profile lines -- sh -c \"$fake; $fake\"");
  const std::optional<SamplingRecord> sampling = Stored().Sampling(Kernels().at(0).id);
  ASSERT_TRUE(sampling);
  EXPECT_EQ(sampling->samples, 120'000);
  EXPECT_THAT(sampling->code, SizeIs(1));
}

TEST_F(Record, ShowsNoInstructionsWhereProcessesHaveOtherCodeOfOneName) {
  Shell("culprit record --profile lines -- sh -c \"$fake; $fake changed\"");
  const std::optional<SamplingRecord> sampling = Stored().Sampling(Kernels().at(0).id);
  ASSERT_TRUE(sampling);
  EXPECT_EQ(sampling->samples, 120'000);
  EXPECT_THAT(sampling->code, IsEmpty());
}

TEST_F(Record, TheFullProfileSamplesTooAndGoesOnWithoutSamples) {
  const Ended ended = Shell("culprit record --profile full -- $fake not_sampled");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("warning: the driver says no"));
  EXPECT_EQ(Kernels().at(0).program->counted, 3);
  EXPECT_FALSE(Stored().Sampling(Kernels()[0].id));
  EXPECT_EQ(OnlyRun().state, "complete");
}

TEST_F(Record, GivesTheProgramItsWordsAsTheyAre) {
  EXPECT_EQ(Shell("culprit record --profile none -- /bin/echo '[1,2]' -- --db x '' \"a'b\"").out,
            "[1,2] -- --db x  a'b\n");
  EXPECT_EQ(Shell("culprit --db other.db record --profile=none $fake print --help").out, "--help\n");
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "other.db"));
}

TEST_F(Record, SignalsEndWithTheShellsStatus) {
  const Ended ended = Shell("culprit record -- $fake kill 11");
  EXPECT_EQ(ended.status, 128 + 11) << ended.err;
  EXPECT_EQ(OnlyRun().run.program->exit_status, 128 + 11);
  EXPECT_EQ(Kernels().at(0).program->counted, 3);
}

TEST_F(Record, ASignalGoesToTheProgramAndWhatWasRecordedIsStored) {
  const Ended ended = Shell(
      "culprit record --profile full -- $fake wait >waits & pid=$!\nwhile ! grep -q waiting waits; do sleep 0.05; "
      "done\n"
      "for child in $(cat /proc/$pid/task/$pid/children); do culprit=$child; done\nkill -TERM ${culprit:-$pid}\nwait "
      "$pid");
  // The shell function runs the command in a process below it.
  EXPECT_EQ(ended.status, 9) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("culprit: running")));
  EXPECT_THAT(Kernels(), SizeIs(4));
}

TEST_F(Record, ASignalBetweenExecutionsEndsItAndWhatWasRecordedIsStored) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const Ended ended = Shell("rm -f culprit.db; culprit record --profile full -- $fake after_end " +
                              std::to_string(signal) + " stall count exit 3");
    EXPECT_EQ(ended.status, 128 + signal) << ended.err;
    EXPECT_EQ(OnlyRun().state, "complete");
    EXPECT_EQ(OnlyRun().run.program->exit_status, 3);
    EXPECT_THAT(Kernels(), SizeIs(4));
    EXPECT_THAT(Kernels()[0].samples, SizeIs(100));
  }
}

TEST_F(Record, ASignalWhileCountersAreReadEndsItAndWhatWasRecordedIsStored) {
  const Ended ended = Shell(
      "culprit record --profile full -- $fake stall_child pids >out2 2>err2 & pid=$!\n"
      "while ! grep -q ' ' pids 2>/dev/null; do sleep 0.05; done\n"
      "for child in $(cat /proc/$pid/task/$pid/children); do culprit=$child; done\nkill -TERM ${culprit:-$pid}\n"
      "wait $pid\nstatus=$?\nkill -9 $(cat pids)\ncat err2 >&2\nexit $status");
  EXPECT_EQ(ended.status, 128 + SIGTERM) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("a signal stopped the execution that reads counters"));
  EXPECT_THAT(ended.err, Not(HasSubstr("more times")));
  EXPECT_EQ(OnlyRun().state, "complete");
  EXPECT_THAT(Kernels(), SizeIs(4));
}

// Of processes whose ids are in `file`, those that have not ended within five seconds.
constexpr const char* kWaitForTheirEnd =
    "\nfor pid in $(cat pids); do\n"
    "  for i in $(seq 100); do grep -q '^State:.*[^ZX] ' /proc/$pid/status 2>/dev/null || break; sleep 0.05; done\n"
    "  ! grep '^State:' /proc/$pid/status 2>/dev/null | grep -v '[ZX] ' || echo left $pid\ndone\n";

// Until the script `wrap` has written `pids`; $culprit is the process that records it. A shell function runs a command
// in a process below it.
constexpr const char* kRecordWrap =
    "culprit record -- sh wrap & pid=$!\n"
    "for i in $(seq 400); do [ ! -s pids ] || break; sleep 0.05; done\n"
    "culprit=$(cat /proc/$pid/task/$pid/children)\nculprit=${culprit% }\n";

TEST_F(Record, ItsProgramAndItsFolderDoNotOutliveIt) {
  Write(scratch_ / "deaf", "trap '' TERM INT HUP; echo $$ >>pids; ls -d tmp/culprit-run-* >folders; sleep 1000");
  const Ended ended = Shell(std::string("culprit record -- sh -c '. ./deaf' & pid=$!\nwhile ! grep -q culprit folders "
                                        "2>/dev/null; do sleep 0.05; done\n"
                                        "for child in $(cat /proc/$pid/task/$pid/children); do culprit=$child; done\n"
                                        "kill -9 ${culprit:-$pid}; wait $pid") +
                            kWaitForTheirEnd +
                            "ls -d tmp/culprit-run-* | diff - folders\n"
                            "culprit record --profile none -- $fake");
  EXPECT_EQ(ended.out, "") << ended.err;
  EXPECT_THAT(Bytes(scratch_ / "folders"), HasSubstr("culprit-run-"));
  EXPECT_EQ(ended.status, 0) << ended.err;
}

// What a script starts without exec is below the program, and knows nothing of us.
TEST_F(Record, WhatAWrapperStartedEndsWithASignal) {
  Write(scratch_ / "wrap", "sh -c 'echo $$ >pids; exec sleep 1000'\necho done\n");
  const Ended ended = Shell(std::string(kRecordWrap) + "kill -TERM $culprit\nwait $pid\nstatus=$?" + kWaitForTheirEnd +
                            "kill -9 $(cat pids) 2>/dev/null\nexit $status");
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.status, 128 + SIGTERM);
  EXPECT_THAT(ended.err, HasSubstr("signal 15 came while sh ran"));
  EXPECT_THAT(ended.err, Not(HasSubstr("no GPU work of")));
}

TEST_F(Record, WhatAWrapperStartedDoesNotOutliveItButADaemonDoes) {
  Write(scratch_ / "wrap",
        "(setsid sh -c 'echo $$ >daemon; exec sleep 1000' >/dev/null 2>&1 &)\n"
        "sh -c 'trap \"\" TERM INT HUP; while [ ! -s daemon ]; do sleep 0.05; done; echo $$ >pids; while :; do sleep "
        "0.05; done'\necho done\n");
  const Ended ended = Shell(std::string(kRecordWrap) + "kill -9 $culprit\nwait $pid" + kWaitForTheirEnd +
                            "kill -9 $(cat pids) 2>/dev/null\nkill $(cat daemon) && echo daemon\n"
                            "culprit record --profile none -- $fake");
  EXPECT_EQ(ended.out, "daemon\n") << ended.err;
}

TEST_F(Record, LeavesFoldersThatHaveAnOwnerAlone) {
  Write(scratch_ / "records", "unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH\n" + ShellWord(CULPRIT_PROGRAM) +
                                  " record --db b.db --profile none -- " + ShellWord(Fake()) +
                                  "\nls -d tmp/culprit-run-*");
  const Ended ended = Shell(
      "mkdir tmp/culprit-run-without tmp/culprit-other; touch tmp/culprit-run-file; mkfifo tmp/culprit-run-pipe\n"
      "mkdir elsewhere; touch elsewhere/kept; ln -s $PWD/elsewhere tmp/culprit-run-link\n"
      "culprit record --profile none -- sh ./records; ls elsewhere tmp; rm -rf tmp/*");
  EXPECT_THAT(ended.out, Not(HasSubstr("without")));
  EXPECT_THAT(ended.out, HasSubstr("elsewhere:\nkept\n\ntmp:\nculprit-other\nculprit-run-file\nculprit-run-link\n"
                                   "culprit-run-pipe\n"));
  EXPECT_THAT(ended.out, ::testing::ContainsRegex("tmp/culprit-run-[A-Za-z0-9]{6}\n")) << "that of the outer one";
}

TEST_F(Record, WhatCannotBeRunLeavesNoRun) {
  EXPECT_EQ(Shell("culprit record -- ./nothing_here").status, 127);
  EXPECT_EQ(Shell("culprit record -- /").status, 126);
  EXPECT_EQ(Shell("culprit record -- ./out").status, 126);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "culprit.db"));
}

TEST_F(Record, SaysWhereNoGpuWasUsed) {
  const Ended ended = Shell("culprit record -- $fake no_gpu");
  EXPECT_EQ(ended.status, 0) << "the program's own";
  EXPECT_THAT(ended.err, HasSubstr("no GPU work of " + Fake() + " was seen, so nothing was recorded."));
  EXPECT_THAT(ended.err, HasSubstr("can follow child processes and a statically linked CUDA runtime"));
  EXPECT_EQ(Shell("culprit record -- $fake no_gpu exit 6").status, 6);
  EXPECT_EQ(Shell("culprit record -- $fake unused").status, 0);
  const Ended watched = Shell("culprit record -- $fake watched");
  EXPECT_EQ(watched.status, 2);
  EXPECT_THAT(watched.err, HasSubstr("warning: another tool uses CUPTI\n"));
  EXPECT_THAT(watched.err, HasSubstr("nothing was recorded of "));
  EXPECT_THAT(watched.err, Not(HasSubstr("no GPU work")));
  EXPECT_EQ(Shell("culprit record -- $fake watched exit 7").status, 7);
  const Ended cut = Shell("culprit record -- $fake unused cut");
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.err, HasSubstr("used a GPU and ended, by _exit or a signal, before a time was written"));
  EXPECT_THAT(cut.err, Not(HasSubstr("no GPU work")));
  EXPECT_EQ(Shell("culprit record -- $fake broken").status, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "culprit.db"));
}

TEST_F(Record, RefusesBeforeTheProgramRuns) {
  for (const char* wrong :
       {"CUDA_INJECTION64_PATH=/other.so culprit record -- touch ran",
        "culprit record --db /no/such/folder/m.db touch ran", "CULPRIT_INJECT=/no/such/file culprit record touch ran",
        "culprit record -k '(' touch ran", "culprit record", "culprit record --",
        "culprit record -k \"$(printf '%100000s' '' | tr ' ' '(')\" touch ran", "culprit record -k 'a**' touch ran",
        "CULPRIT_COUNTING_LIMIT=1m culprit record touch ran", "CULPRIT_COUNTING_LIMIT=0 culprit record touch ran",
        "CULPRIT_COUNTING_LIMIT=1e999 culprit record touch ran", "CULPRIT_COUNTING_LIMIT=inf culprit record touch ran",
        "CULPRIT_COUNTING_LIMIT=' 5' culprit record touch ran", "CULPRIT_COUNTING_LIMIT=nan culprit record touch ran",
        "culprit record --profile all touch ran", "culprit record --launches 0 touch ran"}) {
    const Ended ended = Shell(wrong);
    EXPECT_EQ(ended.status, 2) << wrong;
    EXPECT_THAT(ended.err, HasSubstr("culprit: ")) << wrong;
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "ran"));
}

TEST_F(Record, AKernelThatCannotBeReplayedIsLeftOutAndTheOthersAreCounted) {
  const Ended ended = Shell("culprit record --profile core -- $fake hang gather_rows");
  EXPECT_EQ(ended.status, 0) << ended.err;
  const std::vector<KernelRecord> kernels = Kernels();
  EXPECT_EQ(kernels.at(0).program->counted, 0);
  EXPECT_THAT(kernels[0].program->not_counted, HasSubstr("waits for something"));
  EXPECT_THAT(kernels[0].samples, SizeIs(100));
  EXPECT_THAT(kernels.at(1).stage.id, HasSubstr("vectorized"));
  EXPECT_GT(kernels[1].program->counted, 0);
}

TEST_F(Record, SaysBeforehandThatReplayingWillTakeLong) {
  EXPECT_THAT(Shell("culprit record --profile core -- $fake").err, Not(HasSubstr("in several passes")));
  // Saved once, and restored for 16 passes: 34 s for each of 7 launches of 3 kernels.
  const std::string err = Shell("culprit record --profile core -- $fake memory 100000000000").err;
  EXPECT_THAT(err, HasSubstr("replaying 3 kernels, each launch in several passes, will take about 239 s; Ctrl-C"));
  ASSERT_THAT(err, HasSubstr("a second time"));
  EXPECT_LT(err.find("in several passes"), err.find("a second time"));
}

TEST_F(Record, ASecondExecutionThatHangsIsEndedAndWhatItCountedIsStored) {
  const Ended ended = Shell("CULPRIT_COUNTING_LIMIT=0.5 culprit record --profile full -- $fake stall count exit 3");
  EXPECT_EQ(ended.status, 3) << "that of the timed one" << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("warning: the execution that reads counters did not end within 500.0 ms and was "
                                   "ended."));
  EXPECT_EQ(Kernels().at(0).program->counted, 2) << "of launches 1, 50 and 99";
  EXPECT_THAT(Kernels()[0].samples, SizeIs(100));
  EXPECT_EQ(OnlyRun().state, "complete");
  std::vector<std::string> codes;
  for (const Warning& warning : Stored().Warnings(OnlyRun().id)) codes.push_back(warning.code);
  EXPECT_THAT(codes, ::testing::Contains("counting_ended"));
  EXPECT_THAT(ended.err, Not(HasSubstr("more times"))) << "what hung once would hang again";
  const Ended exact = Shell("CULPRIT_COUNTING_LIMIT=0.5 culprit record --db e.db --profile full -- $fake stall exact");
  EXPECT_EQ(exact.status, 0) << exact.err;
  EXPECT_THAT(exact.err, HasSubstr("more times"));
  EXPECT_THAT(exact.err, HasSubstr("did not end within 500.0 ms and was ended. No further one was tried. 1 of 3"));
}

TEST_F(Record, ProcessesThatTakeNoNoticeEndWithTheExecutionThatHangs) {
  const Ended ended = Shell(
      "CULPRIT_COUNTING_LIMIT=0.5 culprit record -- $fake stall_child pids\n"
      "for pid in $(cat pids); do grep '^State:' /proc/$pid/status 2>/dev/null | grep -v Z && echo left; done; true");
  EXPECT_EQ(ended.out, "") << ended.err;
  EXPECT_THAT(Bytes(scratch_ / "pids"), HasSubstr(" "));
  EXPECT_THAT(ended.err, HasSubstr("and was ended"));
  EXPECT_EQ(Kernels().at(0).program->counted, 2);
}

TEST_F(Record, ASecondExecutionThatFailsCostsNoTimes) {
  const Ended ended = Shell("culprit record -- $fake fail 4");
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("out of memory"));
  EXPECT_THAT(ended.err, HasSubstr("ended with status 4"));
  EXPECT_THAT(Kernels().at(0).program->not_counted, HasSubstr("ended with status 4"));
}

TEST_F(Record, TheSecondExecutionReadsAFileAgain) {
  const Ended ended = Shell(
      "printf 'skip\\nwords\\nrest\\n' >words; printf 'words\\n' >only\n"
      "culprit record -- $fake input <only");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(Kernels().at(0).program->counted, 3) << ended.err;
}

TEST_F(Record, WhatWasReadFromAPipeIsSaid) {
  const Ended ended = Shell("echo words | culprit record -- $fake input");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("from a pipe is gone"));
  EXPECT_THAT(Kernels().at(0).program->not_counted, HasSubstr("pipe"));
  EXPECT_THAT(Kernels().at(0).samples, SizeIs(100));
}

TEST_F(Record, LeavesTheInputWhereTheProgramLeftIt) {
  EXPECT_EQ(Shell("printf 'a\\nb\\nc\\n' >lines; while read line; do echo \"<$line>\"; culprit record --profile core "
                  "-- $fake print x; done <lines")
                .out,
            "<a>\nx\n<b>\nx\n<c>\nx\n");
}

TEST_F(Record, KilledProgramsKeepWhatTheyWrote) {
  Shell("culprit record --profile none -- $fake cut");
  EXPECT_THAT(Kernels(), SizeIs(4));
  const std::vector<Warning> warnings = Stored().Warnings(OnlyRun().id);
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_EQ(warnings[0].code, "trace_incomplete");
}

// Else readers would refuse the whole database.
TEST_F(Record, WhatNoDatabaseMayHoldIsLeftOutWithAWarning) {
  Write(scratch_ / "program",
        "\"$1\"\nfor trace in $CULPRIT_TRACE_DIR/*.trace; do printf 'seen\\t9223372036854775807\\n"
        "build\\tgather_rows\\tsm_90\\td\\tregisters\\truntime\\t1e20\\t0\\n' >>$trace; done\n"
        "mkfifo $CULPRIT_TRACE_DIR/9-0.trace\nln -s /dev/zero $CULPRIT_TRACE_DIR/9-1.trace\n");
  const Ended ended = Shell("culprit record --profile none -- sh program $fake && culprit runs");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(Kernels(), SizeIs(4));
  std::string texts;
  for (const Warning& warning : Stored().Warnings(OnlyRun().id))
    if (warning.code == "trace_damaged") texts += warning.text + "\n";
  EXPECT_THAT(texts, HasSubstr("2 of "));
  EXPECT_THAT(texts, HasSubstr("it is a FIFO"));
  EXPECT_THAT(texts, HasSubstr("it is a device"));
}

TEST_F(Record, ADamagedRunHidesNoOther) {
  Shell("for label in first second third; do culprit record --profile none --label $label -- $fake; done");
  RawSqlite(scratch_ / "culprit.db").Execute("UPDATE program SET lost_launches = 9223372036854775807 WHERE run_id = 2");
  for (const char* format : {"text", "md", "csv", "json", "html"}) {
    const Ended runs = Shell(std::string("culprit runs --format ") + format);
    EXPECT_EQ(runs.status, 0) << runs.err;
    for (const char* word : {"first", "second", "third", "damaged", "program.lost_launches is 9.2"})
      EXPECT_THAT(runs.out, HasSubstr(word)) << format;
  }
  for (const char* works : {"show gather_rows", "show gather_rows --run first", "why --base first --cand third", "list",
                            "history gather_rows", "check --base first --cand third", "export --run first --run third"})
    EXPECT_EQ(Shell(std::string("culprit ") + works).status, 0) << works;
  EXPECT_THAT(Shell("culprit history gather_rows").out, HasSubstr("damaged"));
  for (const char* needs : {"show gather_rows --run second", "why --base second --cand third", "export"}) {
    const Ended ended = Shell(std::string("culprit ") + needs);
    EXPECT_EQ(ended.status, 2) << needs;
    EXPECT_THAT(ended.err, HasSubstr("(second) of culprit.db is damaged: program.lost_launches")) << needs;
    EXPECT_THAT(ended.err, HasSubstr("record it again, or leave that run out")) << needs;
  }
}

TEST_F(Record, ARangeNarrowsWhatIsRecorded) {
  const Ended ended = Shell("culprit record --nvtx forward -- $fake");
  ASSERT_THAT(Kernels(), SizeIs(1)) << ended.err;
  EXPECT_EQ(Kernels()[0].program->counted, 3);
  EXPECT_THAT(Shell("culprit record --nvtx backward --db b.db -- $fake").err, HasSubstr("range 'backward'"));
}

TEST_F(Record, NamesNarrowWhatIsCounted) {
  Shell("culprit record -k 'Functor_add|^rare$' -- $fake");
  int counted = 0;
  for (const KernelRecord& kernel : Kernels()) {
    const bool named = kernel.stage.id != "gather_rows";
    EXPECT_EQ(kernel.program->counted > 0, named) << kernel.stage.id;
    counted += named ? 1 : 0;
  }
  EXPECT_EQ(counted, 2);
}

TEST_F(Record, AnExpressionThatMakesOthersBacktrackForEverCostsNothing) {
  const Ended ended = Shell("culprit record -k '(a+)+c' -- $fake rare $(printf '%1000s' '' | tr ' ' a)");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("no kernel's name has '(a+)+c'"));
}

TEST_F(Record, EndsWithTheCommandThatComesNext) {
  const Ended first = Shell("culprit record --label 'the first' -- $fake print 'a b'");
  EXPECT_THAT(first.err,
              ::testing::EndsWith("next: change the program, then culprit record --label after -- " + Fake() +
                                  " print 'a b', then culprit why --base 'the first' --cand after\n"));
  EXPECT_THAT(Shell("culprit record --label 'the first' -- $fake print 'a b'").err,
              HasSubstr("next: change the program"))
      << "one more execution of the same";
  EXPECT_THAT(Shell("culprit record --label after -- $fake changed").err,
              ::testing::EndsWith("next: culprit why --base 'the first' --cand after\n"));
  EXPECT_EQ(Shell("culprit why --base 'the first' --cand after").status, 0);
  Shell("culprit record --label 'the first' -- $fake");
  EXPECT_THAT(Shell("culprit record --label after -- $fake changed").err,
              ::testing::ContainsRegex("next: culprit why --base [0-9a-f]{8} --cand after\n$"))
      << "the label means two commands";
  const Ended nameless =
      Shell("culprit record --db $PWD/b.db -- $fake; culprit record --db $PWD/b.db -- $fake changed");
  const std::string next = nameless.err.substr(nameless.err.rfind("culprit why"));
  EXPECT_THAT(next, ::testing::ContainsRegex("--base [0-9a-f]{8} --cand [0-9a-f]{8}\n$"));
  EXPECT_EQ(Shell(next).status, 0) << next;
}

TEST_F(Record, RunsAreToldApartByTheirCommands) {
  Shell(
      "culprit record --profile none -- $fake print x; culprit record --profile none -- $fake print $(printf '%99s' "
      "y)");
  const std::string text = Shell("culprit runs").out;
  EXPECT_THAT(text, HasSubstr("  culprit_fake_program print x  "));
  EXPECT_THAT(text, HasSubstr("  culprit_fake_program print y  "));
  EXPECT_THAT(text, Not(HasSubstr("record  ")));
  EXPECT_THAT(
      Shell("mkdir 'my builds'; cp links/culprit_fake_program 'my builds/trains'; culprit record --profile none "
            "-- './my builds/trains' print z; culprit runs")
          .out,
      HasSubstr("  'trains' print z  "));
  EXPECT_THAT(Shell("culprit runs --format csv").out,
              HasSubstr("," + Fake() + " print x,culprit_fake_program print x,"));
  const std::string json = Shell("culprit runs --json").out;
  EXPECT_THAT(json, HasSubstr("\"command\": \"" + Fake() + " print x\""));
  EXPECT_THAT(json, HasSubstr("\"command_short\": \"culprit_fake_program print x\""));
}

TEST_F(Record, EveryReadingCommandTakesSuchRuns) {
  Shell("culprit record --label was -- $fake; culprit record --label is -- $fake changed");
  for (const char* command :
       {"show gather_rows", "show gather_rows --run was --json", "show rare", "report", "report --json",
        "report --format md", "report -v", "runs", "list", "list --static",
        "why gather_rows@was gather_rows@is --metrics", "why gather_rows@was gather_rows@is", "query @ladder",
        "machine", "export -o all.sql", "import all.sql --db copy.db", "report --db copy.db"}) {
    const Ended ended = Shell(std::string("culprit ") + command);
    EXPECT_EQ(ended.status, 0) << command << ended.out << ended.err;
    EXPECT_THAT(ended.err, Not(HasSubstr("bug"))) << command;
  }
  const Ended check = Shell("culprit check --base was --cand is");
  EXPECT_EQ(check.status, 3) << "one execution of each: " << check.out << check.err;
  EXPECT_THAT(check.out, HasSubstr("gather_rows"));
}

TEST_F(Record, WhatALongProgramDoesIsSummedAndAddsUpAsIfItWereNot) {
  ASSERT_EQ(Shell("culprit record --profile none --db whole.db -- $fake many 3000").status, 0);
  const Ended summed = Shell("culprit record --profile none -- $fake many 3000 alone 200");
  ASSERT_EQ(summed.status, 0) << summed.err;
  EXPECT_THAT(summed.err, HasSubstr("warning: a process launched and copied more than"));
  const Database whole = Database::OpenForReading(scratch_ / "whole.db");
  const ProgramRecord a = *whole.Runs().at(0).run.program, b = *OnlyRun().run.program;
  EXPECT_EQ(a.lost_launches, b.lost_launches);
  EXPECT_NEAR(*a.span_us, *b.span_us, 1e-6);
  EXPECT_NEAR(*a.idle_us, *b.idle_us, 1e-6);
  const std::vector<KernelRecord> as = whole.LoadKernels(whole.Runs().at(0).id, Ordinals::kAll), bs = Kernels();
  ASSERT_EQ(as.size(), bs.size());
  for (std::size_t i = 0; i < as.size(); ++i) {
    EXPECT_EQ(as[i].program->calls, bs[i].program->calls);
    EXPECT_NEAR(*as[i].program->time_us, *bs[i].program->time_us, 1e-6);
    EXPECT_NEAR(*as[i].program->share_us, *bs[i].program->share_us, 1e-6);
  }
}

}  // namespace
}  // namespace culprit
