// SPDX-License-Identifier: Apache-2.0
// `culprit versus` on programs without a GPU that write traces as the injected library does (fake_program.cpp).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/program/gpu_watch.h"
#include "db/database.h"
#include "tests/support/scratch.h"
#include "tests/support/shell_word.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ShellWord;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;

struct Ended {
  int status = 0;
  std::string out, err;
};

class Ab : public ::testing::Test {
 protected:
  // alive PID: says so if that process is still there after 10 s. A killed one needs a while to be gone.
  static constexpr const char* kAlive =
      "alive() {\n"
      "  for i in $(seq 200); do\n"
      "    case $(sed -n 's/^State:.//p' /proc/$1/status 2>/dev/null) in ''|[ZX]*) return;; esac\n"
      "    sleep 0.05\n"
      "  done\n"
      "  echo alive\n"
      "}\n";

  // In a shell, with `culprit` and `fake` for the two programs, and what stands in `bin` before all others.
  Ended Shell(const std::string& script) {
    std::filesystem::create_directory(scratch_ / "tmp");
    std::filesystem::create_directory(scratch_ / "bin");
    Write(scratch_ / "script",
          "cd " + ShellWord(scratch_.path()) + "\nmkdir -p links; ln -sf " + ShellWord(CULPRIT_PROGRAM) + " " +
              ShellWord(CULPRIT_FAKE_PROGRAM) +
              " links\nculprit=$PWD/links/culprit fake=$PWD/links/culprit_fake_program\nexport TMPDIR=$PWD/tmp "
              "CULPRIT_INJECT=$fake PATH=$PWD/bin:$PATH\nunset CUDA_INJECTION64_PATH "
              "NVTX_INJECTION64_PATH CULPRIT_DB\n" +
              kAlive + script + "\n");
    const int status = std::system(("sh " + ShellWord(scratch_ / "script") + " >" + ShellWord(scratch_ / "out") +
                                    " 2>" + ShellWord(scratch_ / "err"))
                                       .c_str());
    EXPECT_THAT(Left(), IsEmpty()) << "what it leaves in the folder for temporary files";
    return {WEXITSTATUS(status), Bytes(scratch_ / "out"), Bytes(scratch_ / "err")};
  }

  std::vector<std::string> Left() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "tmp"))
      names.push_back(entry.path().string());
    return names;
  }

  void Program(const std::string& name, const std::string& script) {
    std::filesystem::create_directory(scratch_ / "bin");
    Write(scratch_ / ("bin/" + name), "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(scratch_ / ("bin/" + name), std::filesystem::perms::owner_all);
  }

  std::vector<RunSummary> Runs(const char* label) {
    return Database::OpenForReading(scratch_ / "culprit.db").RunsNamed(label);
  }

  Scratch scratch_;
};

TEST_F(Ab, FindsAProgramThatIsSlowerAndSaysWhy) {
  Program("nvidia-smi", "exit 9");
  const Ended ended = Shell("$culprit versus --label old,new -- $fake print hello -- $fake changed");
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("Slower: "));
  EXPECT_THAT(ended.out, HasSubstr("gather_rows at 1024x1x1x256x1x1"));
  std::string answer = ended.out.substr(0, ended.out.find("Recorded on"));
  // Where a line breaks is not the answer's.
  answer.erase(std::ranges::unique(answer, [](char a, char b) { return std::isspace(a) && std::isspace(b); }).begin(),
               answer.end());
  std::ranges::replace(answer, '\n', ' ');
  EXPECT_THAT(answer, HasSubstr("gather_rows takes on average 10.00 us longer"));
  EXPECT_THAT(ended.out, HasSubstr("nvidia-smi: status 9"));
  EXPECT_THAT(ended.out, HasSubstr("The clock of timed launches of a recorded program"));
  EXPECT_THAT(ended.out, Not(HasSubstr("hello"))) << "the output is the report's";
  EXPECT_THAT(ended.err, HasSubstr("8 and 8 processes"));
  EXPECT_THAT(Runs("old"), SizeIs(8 + 1)) << "and one with counters";
  EXPECT_EQ(Runs("new").front().run.profile, "full") << "gather_rows, which changed";
  for (const RunSummary& run : Runs("new")) EXPECT_EQ(run.state, "complete");
}

TEST_F(Ab, CountsExactlyWhatChanged) {
  const Ended ended = Shell("$culprit versus --label old,new -- $fake lists 5 -- $fake lists 5 changed");
  EXPECT_EQ(ended.status, 1) << ended.err;
  const RunSummary counted = Runs("new").front();
  EXPECT_EQ(counted.run.profile, "sampled");
  const Database database = Database::OpenForReading(scratch_ / "culprit.db");
  for (const KernelRecord& kernel : database.LoadKernels(counted.id, Ordinals::kAll)) {
    const bool counted_exactly =
        std::ranges::any_of(kernel.readings, [](const Reading& r) { return r.metric.source == "sass"; });
    EXPECT_EQ(counted_exactly, kernel.stage.id == "gather_rows") << kernel.stage.id;
  }
}

TEST_F(Ab, TakesTurnsForthAndBack) {
  Program("program", "echo $1 >> order; shift; exec \"$@\"");
  EXPECT_EQ(Shell("$culprit versus --profile none -- program a $fake -- program b $fake changed").status, 1);
  EXPECT_EQ(Bytes(scratch_ / "order"), "a\nb\nb\na\na\nb\nb\na\na\nb\nb\na\na\nb\nb\na\n");
}

TEST_F(Ab, ClaimsNothingOfOneProgram) {
  const Ended ended = Shell("$culprit versus --label a,b --json -- $fake -- $fake");
  EXPECT_EQ(ended.status, 0) << ended.err;
  const Json json = Json::parse(ended.out);
  EXPECT_EQ(json["kind"], "ab");
  EXPECT_EQ(json["ab"]["outcome"], "fine");
  EXPECT_EQ(json["ab"]["clear"], "yes");
  ASSERT_THAT(json["ab"]["quantities"], SizeIs(2)) << "the program, and gather_rows: no other has a tenth of its work";
  for (const Json& quantity : json["ab"]["quantities"]) {
    EXPECT_EQ(quantity["verdict"], "the same");
    EXPECT_EQ(quantity["change_pct"], 0);
    EXPECT_GT(quantity["change_high_pct"], 0) << "the noise floor";
  }
  EXPECT_THAT(json["ab"]["executions"], SizeIs(16));
  EXPECT_THAT(Runs("a"), SizeIs(8)) << "nothing to count where nothing differs";
}

TEST_F(Ab, FindsAProgramThatIsFaster) {
  const Ended ended = Shell("$culprit versus --profile none -- $fake changed -- $fake");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("Faster: "));
}

TEST_F(Ab, TellsAProgramThatFails) {
  Ended ended = Shell("$culprit versus -- $fake -- $fake print_error 'no such layer' exit 3");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("The candidate (" + (scratch_ / "links/culprit_fake_program").string() +
                                   ") ended with status 3"));
  EXPECT_THAT(ended.out, IsEmpty());
  ended = Shell("$culprit versus -- ./none -- $fake");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("cannot run ./none"));
  ended = Shell("$culprit versus -- $fake no_gpu -- $fake");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("no GPU work of " + (scratch_ / "links/culprit_fake_program").string() + " was seen"));
}

TEST_F(Ab, GoesOnAfterOneFailureAndPassesNoGateWithIt) {
  Program("once",
          "if [ $(ls seen* 2>/dev/null | wc -l) = 3 ]; then touch seen4; exit 7; fi\n"
          "touch seen$$; exec \"$@\"");
  const Ended ended = Shell("$culprit versus --label a,b -- $fake -- once $fake");
  EXPECT_EQ(ended.status, 2) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("The candidate (once) ended with status 7"));
  EXPECT_THAT(ended.out, StartsWith("Not slower: "));
  EXPECT_THAT(Runs("a"), SizeIs(8));
  EXPECT_THAT(Runs("b"), SizeIs(7));
}

TEST_F(Ab, EndsAProgramThatHangsWithAllBelowIt) {
  Program("hangs", "trap '' TERM; echo $$ >deaf; sleep 1000 & echo $! >>deaf; wait; wait; sleep 1000");
  const Ended ended = Shell(
      "$culprit versus --budget 5 -- $fake -- hangs\nstatus=$?\nfor pid in $(cat deaf); do alive $pid; done\n"
      "[ $(wc -l <deaf) = 2 ] || echo 'alive, or never there'\nexit $status");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("The candidate (hangs) did not end within 5"));
  EXPECT_THAT(ended.out, Not(HasSubstr("alive")));
}

TEST_F(Ab, StopsWhereTheBudgetEndsAndSaysThatItIsOpen) {
  Program("slow", "sleep 0.3; exec \"$@\"");
  const Ended ended = Shell("$culprit versus --label a,b --budget 2 -- slow $fake -- slow $fake");
  EXPECT_EQ(ended.status, 3) << ended.out;
  EXPECT_THAT(ended.out, StartsWith("Open: "));
  EXPECT_THAT(ended.out, HasSubstr("The budget of 2 s was spent after "));
}

TEST_F(Ab, KeepsWhatWasRecordedWhenItIsKilledAndLeavesNothingRunning) {
  Program(
      "counts",
      "echo x >>began; [ $(wc -l <began) -lt 7 ] || { sh -c 'echo $$ $PPID >pids; exec sleep 1000'; }; exec \"$@\"");
  const Ended ended = Shell(
      "$culprit versus --label a,b -- counts $fake -- counts $fake >report 2>said & pid=$!\n"
      "for i in $(seq 400); do [ ! -s pids ] || break; sleep 0.05; done\nkill -9 $pid\nwait $pid\n"
      "for pid in $(cat pids); do alive $pid; done\n"
      "ls tmp | wc -l; $culprit check --base a --cand b\n"
      "$culprit record --db other.db --profile none -- $fake; exit 0");
  EXPECT_THAT(Runs("a"), SizeIs(3));
  EXPECT_THAT(Runs("b"), SizeIs(3));
  EXPECT_THAT(ended.out, StartsWith("2\nFine: ")) << "two folders, which the next one removes" << ended.err;
}

TEST_F(Ab, ASignalEndsItWithWhatThereIs) {
  Program("counts", "echo x >>began; [ $(wc -l <began) -lt 7 ] || exec sleep 1000; exec \"$@\"");
  const Ended ended = Shell(
      "$culprit versus --label a,b -- counts $fake -- counts $fake & pid=$!\n"
      "for i in $(seq 400); do [ ! -f began ] || [ $(wc -l <began) -lt 7 ] || break; sleep 0.05; done\nsleep 0.2\nkill "
      "-TERM $pid\nwait $pid");
  EXPECT_EQ(ended.status, 2) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("A signal stopped versus"));
  EXPECT_THAT(Runs("a"), SizeIs(3));
}

// 2 ms more of the power limit with each question.
constexpr const char* kPowerLimited =
    "case $1 in *compute-apps*) echo '4711, [a](b) <script>';;\n"
    "*) n=$(cat asked 2>/dev/null || echo 0); n=$((n + 1)); echo $n >asked; echo \"$((n * 2000)), 0, 0, 0\";; esac";

TEST_F(Ab, SaysWhoElseUsedTheGpuAndForHowLongClocksWereHeldDown) {
  Program("nvidia-smi", kPowerLimited);
  const Ended ended = Shell("$culprit versus --profile none --format md -- $fake -- $fake");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("4711, \\[a\\](b) \\<script>"));
  const int asked = std::stoi(Bytes(scratch_ / "asked"));
  EXPECT_GT(asked, 1);
  EXPECT_LT(asked, 17) << "of executions that take no longer than the question most are not followed by one";
  EXPECT_THAT(ended.out,
              HasSubstr(fmt::format("lowered by the power limit for {},000.0 us of the executions", 2 * (asked - 1))));
  EXPECT_THAT(ended.out, Not(HasSubstr("It is not known whether")));
  Program("nvidia-smi", "case $1 in *compute-apps*) ;; *) echo '[N/A], [N/A], [N/A], [N/A]';; esac");
  EXPECT_THAT(
      Shell("$culprit versus --profile none -- $fake -- $fake").out,
      HasSubstr("It is not known whether clocks were lowered. nvidia-smi: it does not count them on this GPU."));
}

TEST_F(Ab, AsksAfterEachExecutionThatTakesMuchLongerThanTheQuestion) {
  Program("nvidia-smi", "cd " + scratch_.path().string() + "\n" + kPowerLimited);
  const std::string path = std::getenv("PATH");
  setenv("PATH", ((scratch_ / "bin").string() + ":" + path).c_str(), 1);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  GpuWatch watch;
  const auto execute = [began = Clock::now() - start] { std::this_thread::sleep_for(60 * began); };
  execute(), watch.Look(0);
  execute(), watch.Look(1);
  const auto asked = [&] { return std::stoi(Bytes(scratch_ / "asked")); };
  ASSERT_EQ(asked(), 3);
  for (int i = 0; i < 1000; ++i) watch.Look(0);  // of executions that take no time
  const int enough = asked();
  EXPECT_LT(enough, 500);
  watch.LookAgain();
  EXPECT_EQ(asked(), enough + 1);
  watch.LookAgain();
  EXPECT_EQ(asked(), enough + 1) << "nothing ran since";
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(watch.Findings(),
              ::testing::Contains(fmt::format("Clocks were lowered by the power limit for {},000.0 us of the base's "
                                              "executions and 2,000.0 us of the candidate's.",
                                              2 * (enough - 1))));
}

TEST_F(Ab, TakesTwoProgramsThatHaveTheSameArguments) {
  Program("old", "exec $CULPRIT_INJECT \"$@\"");
  Program("new", "exec $CULPRIT_INJECT changed \"$@\"");
  EXPECT_EQ(Shell("$culprit versus bin/old bin/new --profile none --label a,b").status, 1);
  EXPECT_THAT(Runs("a"), SizeIs(8));
  EXPECT_THAT(Shell("$culprit versus bin/old bin/new --profile none -- print hello").out, StartsWith("Slower: "));
}

TEST_F(Ab, NamesTheLibraryWhoseVersionChangedAsCheckAndWhyDo) {
  const Ended ended = Shell(
      "mkdir -p a/site-packages/torch-2.10.0.dist-info b/site-packages/torch-2.11.0.dist-info\n"
      "$culprit versus --profile none --label a,b -- $fake loads $PWD/a/site-packages/torch/x.so -- $fake changed "
      "loads $PWD/b/site-packages/torch/x.so\n"
      "echo check; $culprit check --base a --cand b\n"
      "echo why; $culprit why --base a --cand b\n"
      "$culprit record --profile none --label c -- $fake loads $PWD/a/site-packages/torch/x.so\n"
      "echo alike; $culprit check --base a --cand c");
  std::string_view rest = ended.out;
  for (const char* part : {"\ncheck\n", "\nwhy\n", "\nalike\n"}) {
    const std::size_t end = rest.find(part);
    ASSERT_NE(end, rest.npos) << part << ended.out << ended.err;
    EXPECT_THAT(std::string(rest.substr(0, end)), HasSubstr("torch 2.10.0 -> 2.11.0")) << "before " << part;
    rest.remove_prefix(end + std::string_view(part).size());
  }
  EXPECT_THAT(std::string(rest), Not(HasSubstr("versions"))) << "nothing changed";
}

TEST_F(Ab, SaysHowItIsCalled) {
  for (const char* words : {"", "-- $fake", "-- $fake --", "-- -- $fake", "-- $fake -- $fake -- x"})
    EXPECT_THAT(Shell(std::string("$culprit versus ") + words).err, HasSubstr("versus needs two programs")) << words;
  EXPECT_THAT(Shell("$culprit versus --processes 3 -- $fake -- $fake").err, HasSubstr("fewer than 6 processes"));
  EXPECT_THAT(Shell("$culprit versus --processes 9..3 -- $fake -- $fake").err, HasSubstr("--processes takes"));
  EXPECT_THAT(Shell("$culprit versus --label one -- $fake -- $fake").err, HasSubstr("two different labels"));
  EXPECT_THAT(Shell("$culprit versus --max-slowdown much -- $fake -- $fake").err, HasSubstr("--max-slowdown takes"));
  EXPECT_THAT(Shell("$culprit versus $fake").err, HasSubstr("versus needs two programs"));
  EXPECT_THAT(Shell("$culprit versus $fake $fake more").err, HasSubstr("not expected: more"));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "culprit.db"));
}

}  // namespace
}  // namespace culprit
