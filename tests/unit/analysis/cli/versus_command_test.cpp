// SPDX-License-Identifier: Apache-2.0
// `culprit versus`, with scripts for benchmark programs: each records what a run of invented kernels holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/invented_database.h"
#include "tests/support/invented_gate.h"
#include "tests/support/run_command.h"
#include "tests/support/shell_word.h"

namespace culprit {
namespace {

using testing::GateRuns;
using ::testing::HasSubstr;
using testing::Result;
using testing::RunCommand;
using ::testing::StartsWith;

class VersusCommand : public ::testing::Test {
 protected:
  // Programs "old" and "new" that record runs "main" and "change".
  void MakePrograms(const GateRuns& runs) {
    runs.Write(folder_ / "both.db");
    Program("old", Recorder("main"));
    Program("new", Recorder("change"));
  }

  void Program(const char* name, const std::string& script) {
    std::ofstream(folder_ / name) << "#!/bin/sh\n# takes --culprit-turn, as benchmarks do\necho \"$@\" >> "
                                  << testing::ShellWord(folder_ / "said") << "\n"
                                  << script << "\n";
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }

  Result Versus(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"versus", (folder_ / "old").string(), (folder_ / "new").string(), "--db",
                                   (folder_ / "m.db").string()};
    if (std::ranges::count(more, "--processes") == 0) words.insert(words.end(), {"--processes", "1"});
    words.insert(words.end(), more.begin(), more.end());
    return RunCommand(words);
  }

  // In turns, as `turns` says of each program: it records in its first turn, and ends after `turns` of them.
  void MakeProgramsThatTakeTurns(const GateRuns& runs, int old_turns, int new_turns) {
    MakePrograms(runs);
    const auto in_turns = [&](const char* name, const char* run, int turns) {
      const std::string record = Recorder(run), order = testing::ShellWord(folder_ / "order");
      Program(name, R"sh(
for word; do case $word in
  --culprit-turn=*) turn=${word#*=} ;;
  --culprit-turn-done=*) finished=${word#*=} ;;
esac; done
exec 8</dev/fd/$turn 9>/dev/fd/$finished
for i in $(seq )sh" + std::to_string(turns) +
                        R"sh(); do
  [ "$(head -c 1 <&8 | wc -c)" -eq 1 ] || exit 2
  echo )sh" + name + " >> " +
                        order + "\n  [ $i != 1 ] || " + record + "\n  echo >&9\ndone");
    };
    in_turns("old", "main", old_turns);
    in_turns("new", "change", new_turns);
  }

  // The command in a process of its own: its status and what it wrote. `script` sends it ($pid) something as soon as
  // the file "pids" is there; processes that "pids" names and that do not end are added to what it wrote.
  std::pair<int, std::string> InShell(const std::string& words, const std::string& script) {
    std::ofstream(folder_ / "script") << "cd " << (folder_ / "script").parent_path().string() << "\n"
                                      << CULPRIT_PROGRAM << " versus ./old ./new --db m.db " << words
                                      << " >said_by_it 2>&1 & pid=$!\nwhile [ ! -s pids ]; do sleep 0.05; done\n"
                                      << script << "\nwait $pid\nstatus=$?\n"
                                      << R"sh(for one in $(cat pids); do
  for i in $(seq 100); do
    state=$(sed -n 's/^State:.//p' /proc/$one/status 2>/dev/null)
    case $state in ''|[ZX]*) continue 2;; esac
    sleep 0.05
  done
  echo alive >>said_by_it
done
exit $status)sh";
    const int status = std::system(("sh " + (folder_ / "script").string()).c_str());
    std::ifstream in(folder_ / "said_by_it");
    return {WEXITSTATUS(status), {std::istreambuf_iterator<char>(in), {}}};
  }

  std::string Order() {
    std::ifstream in(folder_ / "order");
    std::string order;
    for (std::string name; std::getline(in, name);) order += name.substr(0, 1);
    return order;
  }

  std::string Said() {
    std::ifstream in(folder_ / "said");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  testing::TemporaryFolder folder_;

 private:
  // Its second word is the file behind --db.
  std::string Recorder(const std::string& run) {
    const std::string text = (folder_ / (run + ".sql").c_str()).string();
    EXPECT_EQ(RunCommand({"export", "--db", (folder_ / "both.db").string(), "--run", run, "-o", text}).status, 0);
    return testing::ShellWord(CULPRIT_PROGRAM) + " import --db \"$2\" " + testing::ShellWord(text);
  }
};

TEST_F(VersusCommand, ComparesEveryLaunchOfBoth) {
  GateRuns runs;
  testing::SetTimes(runs.At("v1_7"), 1400);
  MakePrograms(runs);
  const Result result = Versus();
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.out, StartsWith("Regression: 1 of 3 launches is slower by more than 2 %"));
  EXPECT_THAT(result.out, HasSubstr("culprit why --db " + (folder_ / "m.db").string() + " --base-run "));
  // Both runs stay, beside what was there.
  EXPECT_THAT(Versus().err, HasSubstr("recorded no run")) << "the same runs again are no new ones";
}

TEST_F(VersusCommand, ExplainsASingleLaunch) {
  GateRuns runs;
  for (auto* kernels : {&runs.base, &runs.candidate})
    std::erase_if(*kernels, [](const KernelRecord& k) { return k.stage.id != "v1_7"; });
  testing::SetTimes(runs.At("v1_7"), 1400);
  runs.At("v1_7").cubin_digest = "changed";
  MakePrograms(runs);
  EXPECT_THAT(Versus().out, StartsWith("v1_7 in run 22222222 is slower than v1_7 in run 11111111: "));
}

TEST_F(VersusCommand, BlamesNothingOnCodeThatDidNotChange) {
  GateRuns runs;
  for (auto* kernels : {&runs.base, &runs.candidate})
    std::erase_if(*kernels, [](const KernelRecord& k) { return k.stage.id != "v1_7"; });
  testing::SetTimes(runs.At("v1_7"), 1400);
  MakePrograms(runs);
  const std::string out = Versus().out;
  EXPECT_THAT(out, HasSubstr("Its code and its launch are the same in both runs"));
  EXPECT_THAT(out, ::testing::Not(HasSubstr("Culprit")));
}

TEST_F(VersusCommand, WritesWhyForProgramsWhereOneLaunchIsAll) {
  GateRuns runs;
  for (auto* kernels : {&runs.base, &runs.candidate})
    std::erase_if(*kernels, [](const KernelRecord& k) { return k.stage.id != "v1_7"; });
  runs.At("v1_7").cubin_digest = "changed";
  MakePrograms(runs);
  EXPECT_EQ(nlohmann::json::parse(Versus({"--json"}).out).at("verdict"), "same");
}

TEST_F(VersusCommand, GivesBothProgramsTheSameWords) {
  MakePrograms({});
  EXPECT_EQ(Versus({"--profile", "core", "--", "--shapes", "two words"}).status, 0);
  const std::string db = "--db " + (folder_ / "m.db").string() + " --profile=core --label ";
  EXPECT_EQ(Said(), db + "old: " + (folder_ / "old").string() + " --shapes two words\n" + db +
                        "new: " + (folder_ / "new").string() + " --shapes two words\n");
}

TEST_F(VersusCommand, GivesBothProgramsTurnsAndLetsEitherBeginAsOften) {
  GateRuns runs;
  testing::SetTimes(runs.At("v1_7"), 1400);
  MakeProgramsThatTakeTurns(runs, 4, 4);
  const Result result = Versus({"--processes", "3"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_EQ(Order(), "onnoonon") << "three rounds of timing, then both count";
  EXPECT_THAT(Said(), HasSubstr(" --processes=3 --culprit-turn="));
  EXPECT_THAT(result.out, StartsWith("Regression: 1 of 3 launches is slower by more than 2 %"));
}

TEST_F(VersusCommand, GivesNoMoreTurnsWhenAProgramEnds) {
  MakeProgramsThatTakeTurns({}, 4, 1);
  const Result result = Versus({"--processes", "3"});
  EXPECT_EQ(Order().substr(0, 2), "on");
  EXPECT_EQ(std::ranges::count(Order(), 'n'), 1);
  Program("old", "exit 3");
  std::filesystem::remove(folder_ / "order");
  std::filesystem::remove(folder_ / "m.db");
  const Result none = Versus({"--processes", "3"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("old ended with status 3 and recorded no run in "));
  EXPECT_EQ(Order(), "") << "the new one was not started";
}

TEST_F(VersusCommand, TakesLabelsAndALimit) {
  GateRuns runs;
  testing::SetTimes(runs.At("v1_7"), 1400);
  MakePrograms(runs);
  EXPECT_EQ(Versus({"--label", "main,change", "--max-slowdown", "200%"}).status, 0);
  EXPECT_THAT(Said(), HasSubstr(" --profile=full --label main\n"));
  EXPECT_THAT(Said(), HasSubstr(" --profile=full --label change\n"));
  EXPECT_THAT(Versus({"--budget", "5"}).err, HasSubstr("--budget is only for programs"));
}

TEST_F(VersusCommand, SaysWhatIsWrongWithAProgram) {
  MakePrograms({});
  const auto complaint = [&](const std::string& script) {
    std::filesystem::remove(folder_ / "m.db");
    Program("new", script);
    const Result result = Versus();
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(complaint("exit 3"), HasSubstr("new ended with status 3 and recorded no run in "));
  EXPECT_THAT(complaint("kill -9 $$"), HasSubstr("new was ended by signal 9; run it by itself"));
  std::filesystem::permissions(folder_ / "new", std::filesystem::perms::owner_read);
  std::filesystem::remove(folder_ / "m.db");
  EXPECT_THAT(Versus().err, HasSubstr("cannot start " + (folder_ / "new").string()));
  std::filesystem::remove(folder_ / "new");
  std::filesystem::create_symlink(folder_ / "old", folder_ / "new");
  EXPECT_THAT(Versus().err, HasSubstr("OLD and NEW are both "));
}

TEST_F(VersusCommand, PassesSignalsOnAndStartsNothingAfterThem) {
  for (const std::string words : {"--processes 1", "--processes 8"}) {
    for (const char* signal : {"TERM", "HUP"}) {
      Program("old", "echo $$ >" + (folder_ / "pids").string() + "; exec sleep 1000");
      Program("new", "touch " + (folder_ / "new_ran").string());
      const auto [status, said] = InShell(words, std::string("kill -") + signal + " $pid");
      EXPECT_EQ(status, 2) << said;
      EXPECT_EQ(said, std::string("culprit: signal ") + (signal == std::string("TERM") ? "15" : "1") +
                          " stopped it while ./old ran.\n");
      EXPECT_FALSE(std::filesystem::exists(folder_ / "new_ran"));
      std::filesystem::remove(folder_ / "pids");
    }
  }
  Program("old", "trap 'exit 0' TERM; echo $$ >" + (folder_ / "pids").string() + "; while :; do sleep 0.05; done");
  const auto [status, said] = InShell("--processes 1", "kill -TERM $pid");
  EXPECT_EQ(status, 2);
  // Its shell may name the signal that ended its command.
  EXPECT_TRUE(said.ends_with("culprit: signal 15 stopped it while ./old ran.\n")) << said;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new_ran"));
}

TEST_F(VersusCommand, ItsProgramsDoNotOutliveIt) {
  Program("old", "trap '' TERM; echo $$ >" + (folder_ / "pids").string() + "; while :; do sleep 0.05; done");
  Program("new", "exit 0");
  const auto [status, said] = InShell("--processes 1", "kill -9 $pid");
  EXPECT_EQ(status, 128 + 9);
  EXPECT_EQ(said, "");
}

TEST_F(VersusCommand, TakesANameThatIsTooLongForAFileAsOneThatDoesNotExist) {
  // versus starts its own program again, so this is the program, not this test.
  const std::string said = (folder_ / "said").string();
  const int status = std::system((std::string(CULPRIT_PROGRAM) + " versus " + std::string(5000, 'a') + " new --db " +
                                  (folder_ / "m.db").string() + " 2>" + said)
                                     .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  std::ifstream in(said);
  EXPECT_THAT((std::string{std::istreambuf_iterator<char>(in), {}}), HasSubstr("The base (aaa"));
}

}  // namespace
}  // namespace culprit
