// SPDX-License-Identifier: Apache-2.0
// What `check` and `why` make of a program as a whole: what they pass, what they do not, and in which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/invented_database.h"
#include "tests/support/invented_program.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/recordings.h"
#include "tests/support/run_command.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::InventedProgram;
using ::testing::Not;
using testing::ProgramKernel;
using testing::Result;
using testing::RunCommand;
using ::testing::StartsWith;
using Json = nlohmann::json;

// Broken lines as one.
std::string OneLine(const std::string& text) {
  std::string line;
  for (const char c : text)
    if (const char blank = c == '\n' ? ' ' : c; blank != ' ' || !line.ends_with(' ')) line += blank;
  return line;
}

std::string UuidOf(int number) { return InventedProgram(number, "").run.uuid; }

InventedProgram Adding(int number, const std::string& label, double us, const std::string& command = "./solver in") {
  InventedProgram program(number, label, command);
  program.Launch(ProgramKernel("add", 40, us));
  return program;
}

// 4,000 us of kernels, and copies of `us`.
InventedProgram Copying(int number, const std::string& label, double us) {
  InventedProgram program = Adding(number, label, 100);
  program.Copy(CopyKind::kToDevice, 10, us);
  return program;
}

class ProgramGate : public ::testing::Test {
 protected:
  void Write(std::vector<InventedProgram> programs) {
    Database database = Database::OpenForRecording(File());
    for (InventedProgram& program : programs) program.Write(database);
  }
  Result Run(std::vector<std::string> args) {
    args.insert(args.end(), {"--db", File().string()});
    return RunCommand(args);
  }
  Result Check(const std::string& base, const std::string& candidate, const std::vector<std::string>& more = {}) {
    std::vector<std::string> args = {"check", "--base", base, "--cand", candidate};
    args.insert(args.end(), more.begin(), more.end());
    return Run(args);
  }
  Json Of(std::vector<std::string> args) {
    args.push_back("--json");
    const Result result = Run(std::move(args));
    EXPECT_EQ(result.err, "");
    return result.out.empty() ? Json::object() : Json::parse(result.out);
  }
  // Past the checksum, as a disk may.
  void Change(const std::string& sql) { RawSqlite(File()).Execute("DELETE FROM run_checksum; " + sql); }
  std::filesystem::path File() const { return folder_ / "p.db"; }

  testing::TemporaryFolder folder_;
};

// --- copies ---

TEST_F(ProgramGate, CopiesOfOneExecutionMakeNoRegression) {
  Write({Copying(1, "before", 2000), Copying(2, "after", 3000)});
  const Result result = Check("before", "after");
  EXPECT_EQ(result.status, 3) << result.out;
  EXPECT_THAT(OneLine(result.out),
              AllOf(StartsWith("Inconclusive: copies to the GPU +1,000.0 us"),
                    HasSubstr("kernels take about as long as before"), HasSubstr("record at least 5 of each side")));
  const Json why = Of({"why", "--base", "before", "--cand", "after"});
  EXPECT_EQ(why.at("program").at("verdict"), "same");
  EXPECT_EQ(why.at("program").at("work_of"), "kernels");
  EXPECT_THAT(why.at("title").get<std::string>(), HasSubstr("copies to the GPU +1,000.0 us"));
}

TEST_F(ProgramGate, CopiesThatTakeLessHideNoSlowerKernel) {
  InventedProgram before = Copying(1, "before", 3000), after = Copying(2, "after", 1000);
  after.Launch(ProgramKernel("copy", 10, 20));
  Write({before, after});
  const Result result = Check("before", "after");
  EXPECT_EQ(result.status, 3) << result.out;
  EXPECT_THAT(OneLine(result.out), AllOf(HasSubstr("Inconclusive: kernels take 200.0 us (5.0 %) longer"),
                                         HasSubstr("Fewer than 5 executions of a side only make it suspect")));
}

TEST_F(ProgramGate, CopiesOfFiveExecutionsAreJudged) {
  for (int i = 0; i < 5; ++i) Write({Copying(1 + i, "old", 2000 + i), Copying(6 + i, "new", 3000 + i)});
  const Json check = Of({"check", "--base", "old", "--cand", "new"}).at("check");
  EXPECT_EQ(check.at("work_of"), "kernels and copies");
  EXPECT_EQ(check.at("work_judgement"), "regression");
  EXPECT_EQ(check.at("exit_status"), 1);
}

// --- new kernels ---

// A kernel without a counterpart that takes 4 % of the work.
TEST_F(ProgramGate, ANewKernelCountsInTheWork) {
  const auto with_new = [](int number) {
    InventedProgram program = Adding(number, "new", 100);
    program.Launch(ProgramKernel("extra", 4, 42));
    return program;
  };
  Write({Adding(1, "old", 100), with_new(11)});
  Json check = Of({"check", "--base", "old", "--cand", "new"}).at("check");
  EXPECT_EQ(check.at("work_judgement"), "suspect") << check;
  EXPECT_EQ(check.at("exit_status"), 3);
  for (int i = 2; i <= 5; ++i) Write({Adding(i, "old", 100), with_new(10 + i)});
  check = Of({"check", "--base", "old", "--cand", "new"}).at("check");
  EXPECT_EQ(check.at("work_judgement"), "regression") << check;
  EXPECT_EQ(check.at("exit_status"), 1);
}

// --- what is not known ---

TEST_F(ProgramGate, ExecutionsThatScatterWidelyDoNotPass) {
  Write({Adding(1, "old", 100), Adding(2, "old", 180), Adding(3, "new", 101.5), Adding(4, "new", 190)});
  const Json check = Of({"check", "--base", "old", "--cand", "new"}).at("check");
  EXPECT_EQ(check.at("work_verdict"), "ambiguous");
  EXPECT_EQ(check.at("work_judgement"), "inconclusive");
  EXPECT_EQ(check.at("exit_status"), 3);
}

TEST_F(ProgramGate, ProgramsOfOneNameWithoutACommonKernelAreRefused) {
  InventedProgram before = Adding(1, "before", 100, "./solver"), after(2, "after", "/other/solver");
  after.Launch(ProgramKernel("pack", 7, 29));
  Write({before, after});
  for (const char* command : {"why", "check"}) {
    const Result refused = Run({command, "--base", "before", "--cand", "after"});
    EXPECT_EQ(refused.status, 2) << refused.out;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("have no kernel in common"), HasSubstr("If one program replaced all of its kernels"),
                      HasSubstr("--different-programs")));
  }
  // The whole of a program that replaced all its kernels.
  const Result whole = Check("before", "after", {"--different-programs"});
  EXPECT_EQ(whole.status, 0) << whole.out;
  EXPECT_THAT(whole.out, StartsWith("Fine: 0 of 2 launches could be compared; kernels take"));
  EXPECT_EQ(Check("after", "before", {"--different-programs"}).status, 3);
}

TEST_F(ProgramGate, NothingComparedIsNotFine) {
  InventedProgram before(1, "before"), after(2, "after");
  for (InventedProgram* program : {&before, &after})
    program->Launch(ProgramKernel("fill", 1, 5)).Copy(CopyKind::kToDevice, 10, 1e6);
  Write({before, after});
  const Result result = Check("before", "after");
  EXPECT_EQ(result.status, 2) << result.out;
  EXPECT_THAT(result.out, StartsWith("Not judged: 0 of 1 launch could be compared; kernels take"));
}

TEST_F(ProgramGate, WhyWithoutWordsSkipsPairsWithoutACommonKernel) {
  InventedProgram other(1, "again", "./solver in");
  other.Launch(ProgramKernel("pack", 7, 29));
  Write({other, Adding(2, "base", 100), Adding(3, "again", 120)});
  EXPECT_EQ(Of({"why"}).at("context").at("base_run_uuid"), UuidOf(2));
}

TEST_F(ProgramGate, ALaunchWithoutItsProgramRowIsNotMeasured) {
  Write({Adding(1, "before", 100), Adding(2, "after", 100)});
  Change("DELETE FROM program_launch WHERE launch_id = 2");
  const Result result = Check("before", "after");
  EXPECT_EQ(result.status, 2) << result.out;
  EXPECT_THAT(OneLine(result.out), HasSubstr("A kernel of the candidate run has no time of all its calls"));
}

TEST_F(ProgramGate, WhyAndCheckTakeTheWorkFromTheSameTimes) {
  Write({Adding(1, "before", 100), Adding(2, "after", 100)});
  Change("UPDATE program SET span_us = 1.5 * span_us WHERE run_id = 2");
  const Json check = Of({"check", "--base", "before", "--cand", "after"}).at("check");
  const Json why = Of({"why", "--base", "before", "--cand", "after"}).at("program");
  EXPECT_EQ(check.at("candidate_work_us"), why.at("candidate_work_us"));
  EXPECT_EQ(check.at("work_verdict"), why.at("verdict"));
  EXPECT_EQ(check.at("exit_status"), 0);
}

// --- words ---

TEST_F(ProgramGate, OneSentenceHasOneUnit) {
  InventedProgram before = Adding(1, "before", 1000), after = Adding(2, "after", 1200);
  before.idle_us = 1e6;
  after.idle_us = 3e5;
  Write({before, after});
  EXPECT_THAT(OneLine(Run({"why"}).out),
              AllOf(HasSubstr("take 7.999 ms (20.0 %) longer; the span on the GPU is 692.0 ms"),
                    HasSubstr("40.00 ms of kernels and copies in 1,040.0 ms")));
}

TEST_F(ProgramGate, SaysWhichNumberIsAMeanAndWhichAMedian) {
  Write({Adding(1, "before", 100), Adding(2, "after", 120)});
  EXPECT_THAT(OneLine(Run({"why"}).out), HasSubstr("add takes on average 20.00 us longer in each of 40 calls"));
  EXPECT_THAT(OneLine(Check("before", "after").out), HasSubstr("+20.0 us (+20.0 %) in the median of 40 calls"));
}

TEST_F(ProgramGate, SaysThatTheEstimateIsAboveTheLimit) {
  InventedProgram before = Adding(1, "before", 100), after = Adding(2, "after", 100);
  after.Launch(ProgramKernel("copy", 10, 20));
  Write({before, after});
  EXPECT_THAT(OneLine(Check("before", "after").out), HasSubstr("and the estimate of 5.0 % is above the limit of 2 %"));
  EXPECT_THAT(OneLine(Run({"why"}).out), HasSubstr("its estimate of 5.0 % is above the limit of 2 %"));
  EXPECT_THAT(OneLine(RunCommand({"check", "--help"}).out),
              AllOf(HasSubstr("several processes per side show that a launch, or a program as a whole, is slower"),
                    HasSubstr("New launches are listed. They count only in the program's total")));
}

TEST_F(ProgramGate, SaysWhatDiffersOfALaunchThatIsHeldAgainstAnother) {
  InventedProgram before(1, "before"), after(2, "after");
  before.Launch(ProgramKernel("add", 40, 100));
  after.Launch(ProgramKernel("add", 40, 150));
  before.kernels[0].launch.dynamic_shared_bytes = 8192;
  after.kernels[0].launch.dynamic_shared_bytes = 98304;
  Write({before, after});
  EXPECT_THAT(
      OneLine(Check("before", "after").out),
      HasSubstr("Held against another launch of the candidate run: dynamic shared memory 8,192 B -> 98,304 B."));
}

// --- labels ---

TEST_F(ProgramGate, OneCommandInTwoFoldersIsOneSide) {
  Write({Adding(1, "old", 100, "/a/solver in"), Adding(2, "old", 100, "/b/solver in"), Adding(3, "new", 100)});
  EXPECT_EQ(Of({"why", "--base", "old", "--cand", "new"}).at("program").at("base_runs"), 2);
  EXPECT_EQ(Of({"history", "add"}).at("history").at("runs").at(0).at("executions"), 2);
}

TEST_F(ProgramGate, OneCommandWithoutACommonKernelIsNotOneSide) {
  InventedProgram other(1, "old", "/a/solver in");
  other.Launch(ProgramKernel("pack", 7, 29));
  Write({other, Adding(2, "old", 100, "/b/solver in"), Adding(3, "new", 100)});
  EXPECT_THAT(Run({"why", "--base", "old", "--cand", "new"}).err, HasSubstr("'old' is the label of 2 commands"));
  EXPECT_EQ(Of({"why", "--base", "old:/b/", "--cand", "new"}).at("program").at("base_runs"), 1);
}

TEST_F(ProgramGate, WhatAMessageOffersCanBePasted) {
  Write({Adding(1, "it's", 100, "./solver 'a b'"), Adding(2, "it's", 100, "./other"), Adding(3, "new", 100)});
  EXPECT_THAT(Check("it's", "new").err, HasSubstr(R"(--base 'it'\''s:./other')"));
}

TEST_F(ProgramGate, AKernelIsFoundInTheRunsOfALabelAndWords) {
  Write({Adding(1, "old", 100, "./solver in"), Adding(2, "old", 200, "./other")});
  EXPECT_EQ(Of({"show", "add@old:in"}).at("context").at("run_uuid"), UuidOf(1));
  EXPECT_EQ(Of({"show", "add", "--run", "old:./other"}).at("context").at("run_uuid"), UuidOf(2));
}

TEST_F(ProgramGate, HistoryTakesAnotherCommandWhereAsked) {
  Write({Adding(1, "a", 100, "./one"), Adding(2, "b", 100, "./two")});
  EXPECT_THAT(OneLine(Run({"history", "add"}).out),
              AllOf(HasSubstr("of another command than './two'; --any-command includes it"),
                    Not(HasSubstr("record again with --label"))));
  EXPECT_EQ(Of({"history", "add", "--any-command"}).at("history").at("runs").size(), 2);
}

// --- the report of one run ---

TEST_F(ProgramGate, CopiesLeadWhereTheyAreMostOfTheWork) {
  Write({Copying(1, "", 16000)});
  EXPECT_THAT(Run({"report"}).out, HasSubstr("copies to the GPU, 80.0 %; of the kernels add, 20.0 %"));
  const Result page = Run({"report", "--format", "html"});
  EXPECT_THAT(page.out, HasSubstr("All kernels and copies on the GPU, all calls of each together"));
}

TEST_F(ProgramGate, FindingsOfOneNameSayOfWhichLaunchTheyAre) {
  InventedProgram program(1, "");
  program.Launch(ProgramKernel("add", 40, 100, 64)).Launch(ProgramKernel("add", 40, 10, 16));
  program.Launch(ProgramKernel("fill", 40, 10));
  Write({program});
  const Json items = Of({"report"}).at("findings").at("items");
  EXPECT_EQ(items.at(0).at("id"), "add at 64x1x1x256x1x1");
  EXPECT_EQ(items.at(1).at("id"), "add at 16x1x1x256x1x1");
  EXPECT_EQ(items.at(2).at("id"), "fill");
}

// --- recordings that ship ---

// program_base against itself, on a real GPU: all kernels are the same, and copies to the GPU are not.
class RecordedGate : public ::testing::Test {
 protected:
  void Import(const std::string& file) {
    ASSERT_EQ(RunCommand({"import", testing::Recording(file).string(), "--db", db_}).status, 0);
  }
  Result Check(const std::string& base, const std::string& candidate, const char* format) {
    return RunCommand({"check", "--base", base, "--cand", candidate, "--db", db_, "--format", format});
  }
  Scratch scratch_;
  const std::string db_ = (scratch_ / "m.db").string();
};

TEST_F(RecordedGate, NoUnchangedProgramIsARegression) {
  Import("strangers/h200_sxm_cuda13.0_2026-11-23_first_sight.sql.zst");
  Import("strangers/h200_sxm_cuda13.0_2026-11-24_second.sql.zst");
  for (const auto& [base, candidate] :
       {std::pair("930f26f6", "200c3425"), {"add82925", "1a14cda2"}, {"add82925", "7c2ffd56"}}) {
    const Result result = Check(base, candidate, "json");
    EXPECT_EQ(result.status, 3) << base << " -> " << candidate;
    const Json report = Json::parse(result.out), check = report.at("check");
    EXPECT_EQ(check.at("same"), 8);
    EXPECT_EQ(check.at("regressions"), 0);
    EXPECT_EQ(check.at("work_of"), "kernels");
    EXPECT_EQ(check.at("work_verdict"), "same");
    EXPECT_EQ(check.at("work_judgement"), "inconclusive");
    EXPECT_THAT(report.at("title").get<std::string>(), StartsWith("Inconclusive: copies to the GPU +"));
  }
  // The other way round nothing is slower, and what two kernels leave open has one count.
  const Json back = Json::parse(Check("1a14cda2", "add82925", "json").out);
  EXPECT_EQ(back.at("check").at("exit_status"), 0);
  EXPECT_THAT(back.at("title").get<std::string>(),
              AllOf(HasSubstr("0 slower by more than 2 %, 2 of them could be slower by up to 2.3 %"),
                    Not(HasSubstr("inconclusive"))));
  // Programs of one name, half a day apart.
  EXPECT_THAT(Check("930f26f6", "add82925", "text").err, HasSubstr("have no kernel in common"));
}

TEST_F(RecordedGate, ASuspectSaysThatItsEstimateIsAboveTheLimit) {
  Import("programs/h200_sxm_cuda13.0_2026-11-22.sql.zst");
  const Result result = Check("before", "after", "text");
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(OneLine(result.out), AllOf(HasSubstr("is above the limit of 2 %"), HasSubstr("could be slower by up to"),
                                         Not(HasSubstr("slower by more than 2 %. "))));
}

}  // namespace
}  // namespace culprit
