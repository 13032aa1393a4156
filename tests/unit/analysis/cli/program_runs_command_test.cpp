// SPDX-License-Identifier: Apache-2.0
// Which runs and kernels of programs a command takes, and the one verdict that `why` and `check` have of two of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/invented_database.h"
#include "tests/support/invented_program.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/run_command.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::InventedProgram;
using ::testing::Not;
using testing::ProgramKernel;
using testing::Result;
using testing::RunCommand;
using Json = nlohmann::json;

class ProgramRuns : public ::testing::Test {
 protected:
  void Write(std::vector<InventedProgram> programs) {
    Database database = Database::OpenForRecording(folder_ / "p.db");
    for (InventedProgram& program : programs) program.Write(database);
  }
  Result Run(std::vector<std::string> args) {
    args.insert(args.end(), {"--db", (folder_ / "p.db").string()});
    return RunCommand(args);
  }
  Json Of(std::vector<std::string> args, int status = 0) {
    args.push_back("--json");
    const Result result = Run(std::move(args));
    EXPECT_EQ(result.status, status) << result.err;
    return result.out.empty() ? Json::object() : Json::parse(result.out);
  }
  testing::TemporaryFolder folder_;
};

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

// --- one verdict ---

// 4,000 us of work; the candidate has 200 us (5 %) more, in a kernel that is new, and idles less.
std::vector<InventedProgram> WithANewKernel() {
  InventedProgram before = Adding(1, "before", 100), after = Adding(2, "after", 100);
  after.Launch(ProgramKernel("copy", 10, 20));
  before.idle_us = 9000;
  after.idle_us = 5000;
  return {before, after};
}

TEST_F(ProgramRuns, ANewKernelThatTakesMoreThanTheLimitIsNotFine) {
  Write(WithANewKernel());
  const std::vector<std::string> check = {"check", "--base", "before", "--cand", "after"};
  const Result text = Run(check);
  EXPECT_EQ(text.status, 3) << text.out;
  EXPECT_THAT(OneLine(text.out),
              AllOf(HasSubstr("Inconclusive: kernels take 200.0 us (5.0 %) longer"),
                    HasSubstr("idle time fell by 4,000.0 us"), HasSubstr("new kernels add 200.0 us")));
  const auto in = [&](const char* format) {
    std::vector<std::string> args = check;
    args.insert(args.end(), {"--format", format});
    const Result result = Run(args);
    EXPECT_EQ(result.status, 3) << format;
    return result.out;
  };
  EXPECT_THAT(in("github"), HasSubstr("::warning title=solver may be slower"));
  EXPECT_THAT(in("junit"), AllOf(HasSubstr("errors=\"1\""), HasSubstr("type=\"suspect\""),
                                 HasSubstr("name=\"kernels and copies\"")));
  const Json result = Json::parse(in("sarif"))["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "program-suspect");
  EXPECT_EQ(result["properties"]["judgement"], "suspect");
  std::vector<std::string> lenient = check;
  lenient.insert(lenient.end(), {"--max-slowdown", "10%"});
  EXPECT_EQ(Run(lenient).status, 0);
  // Whoever asks for one kernel alone gets the answer of that kernel.
  std::vector<std::string> one = check;
  one.insert(one.end(), {"--stages", "add"});
  EXPECT_EQ(Run(one).status, 0);
}

TEST_F(ProgramRuns, WhyAndCheckHaveOneVerdictOfAProgram) {
  Write(WithANewKernel());
  const Json check = Of({"check", "--base", "before", "--cand", "after"}, 3).at("check");
  const Json why = Of({"why", "--base", "before", "--cand", "after"});
  EXPECT_EQ(why.at("program").at("verdict"), "slower");
  EXPECT_EQ(check.at("work_verdict"), "slower");
  for (const auto& [of_check, of_why] : {std::pair("base_work_us", "base_work_us"),
                                         {"candidate_work_us", "candidate_work_us"},
                                         {"work_change_pct", "work_change_pct"},
                                         {"work_change_low_pct", "work_change_low_pct"},
                                         {"work_change_high_pct", "work_change_high_pct"},
                                         {"base_span_us", "base_us"},
                                         {"candidate_span_us", "candidate_us"}})
    EXPECT_NEAR(check.at(of_check).get<double>(), why.at("program").at(of_why).get<double>(), 1e-6) << of_check;
  EXPECT_EQ(check.at("work_judgement"), "suspect");
  // Work and span, and what stands between them.
  EXPECT_THAT(why.at("title").get<std::string>(),
              HasSubstr("Kernels of solver take 200.0 us (5.0 %) longer; the span on the GPU is 3,800.0 us "
                        "(29.2 %) shorter (idle time fell by 4,000.0 us): copy is new"));
  EXPECT_THAT(OneLine(Run({"why", "--base", "before", "--cand", "after"}).out),
              HasSubstr("its estimate of 5.0 % is above the limit of 2 % that culprit check usually has"));
}

TEST_F(ProgramRuns, WhatIsGoneMakesUpForWhatIsNew) {
  InventedProgram before = Adding(1, "before", 100), after = Adding(2, "after", 100);
  before.Launch(ProgramKernel("scatter_rows", 10, 20.5));
  after.Launch(ProgramKernel("pack", 7, 29));
  Write({before, after});
  const Result result = Run({"check", "--base", "before", "--cand", "after"});
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_THAT(OneLine(result.out),
              HasSubstr("new kernels add 203.0 us (pack), gone ones take away 205.0 us (scatter_rows)"));
  EXPECT_THAT(OneLine(result.out), HasSubstr("New in the candidate run: 203.0 us in 7 calls."));
  const Json check = Of({"check", "--base", "before", "--cand", "after"}).at("check");
  // The one with more time first.
  EXPECT_EQ(check.at("launches")[0].at("stage"), "scatter_rows");
  EXPECT_NEAR(check.at("launches")[0].at("base_us"), 20.5, 0.01);
  EXPECT_EQ(check.at("launches")[0].at("candidate_us"), nullptr);
  EXPECT_EQ(check.at("launches")[1].at("stage"), "pack");
  EXPECT_NEAR(check.at("launches")[1].at("candidate_us"), 29, 0.01);
}

TEST_F(ProgramRuns, ExecutionsThatOverlapShowNoSlowerProgram) {
  Write({Adding(1, "old", 100), Adding(2, "old", 120), Adding(3, "old", 110)});
  Write({Adding(4, "new", 101), Adding(5, "new", 121), Adding(6, "new", 111)});
  const Json same = Of({"why", "--base", "old", "--cand", "new"}).at("program");
  EXPECT_EQ(same.at("verdict"), "ambiguous");
  EXPECT_LT(same.at("work_change_low_pct"), 0);
  EXPECT_GT(same.at("work_change_high_pct"), 0);
  EXPECT_THAT(Run({"check", "--base", "old", "--cand", "new"}).out, Not(HasSubstr("Regression: kernels")));
}

// --- labels and commands ---

TEST_F(ProgramRuns, ALabelOfTwoCommandsIsRefusedAndSaysHowToChoose) {
  Write({Adding(1, "nightly", 100, "./solver in"), Adding(2, "nightly", 100, "./solver"),
         Adding(3, "nightly", 100, "./solver in"), Adding(4, "new", 100, "./solver in")});
  for (const char* command : {"why", "check"}) {
    const Result refused = Run({command, "--base", "nightly", "--cand", "new"});
    EXPECT_EQ(refused.status, 2) << refused.out;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("'nightly' is the label of 2 commands"), HasSubstr("'./solver in' (2 runs)"),
                      HasSubstr("'./solver' (1 run)"), HasSubstr("--base 'nightly:./solver in'")));
  }
  EXPECT_EQ(Of({"why", "--base", "nightly:in", "--cand", "new"}).at("program").at("base_runs"), 2);
  // A command that is the beginning of another's can be named, too.
  EXPECT_EQ(Of({"why", "--base", "nightly:./solver", "--cand", "new"}).at("context").at("base_run_uuid"), UuidOf(2));
  EXPECT_THAT(Run({"check", "--base", "nightly:./solver in", "--cand", "new"}).err, "");
  EXPECT_THAT(Run({"why", "--base", "nightly:./other", "--cand", "new"}).err, HasSubstr("none of its commands"));
}

TEST_F(ProgramRuns, BuildsInTwoFoldersAreOneSideWhereTheyHaveOneLabel) {
  Write({Adding(1, "old", 100, "/build/old/solver in"), Adding(2, "new", 120, "/build/new/solver in"),
         Adding(3, "else", 100, "./other in")});
  const Json why = Of({"why"});
  EXPECT_EQ(why.at("context").at("base_run_label"), "old");
  EXPECT_EQ(why.at("context").at("run_label"), "new");
  EXPECT_EQ(Of({"check", "--base", "newest", "--cand", "new"}, 3).at("context").at("base_run_label"), "old");
  Write({Adding(4, "both", 100, "/build/old/solver in"), Adding(5, "both", 100, "/build/new/solver in")});
  EXPECT_EQ(Of({"why", "--base", "both", "--cand", "new"}).at("program").at("base_runs"), 2);
}

TEST_F(ProgramRuns, OneLabelOfTwoCommandsMakesNoPair) {
  Write({Adding(1, "nightly", 100, "./solver"), Adding(2, "nightly", 200, "./other"),
         Adding(3, "nightly", 300, "./solver")});
  EXPECT_EQ(Of({"why"}).at("context").at("base_run_uuid"), UuidOf(1));
}

TEST_F(ProgramRuns, ProgramsWithoutACommonKernelAreRefusedUnlessAsked) {
  InventedProgram one = Adding(1, "one", 100, "./one"), other(2, "other", "./other");
  other.Launch(ProgramKernel("pack", 7, 29));
  Write({one, other});
  for (const char* command : {"why", "check"}) {
    const Result refused = Run({command, "--base", "one", "--cand", "other"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("have no kernel in common"), HasSubstr("./one"), HasSubstr("./other"),
                                   HasSubstr("--different-programs")));
    EXPECT_EQ(Run({command, "--base", "one", "--cand", "other", "--different-programs"}).err, "");
  }
  EXPECT_THAT(Run({"why"}).err, HasSubstr("no two runs of programs have the same command and a kernel in common"));
}

TEST_F(ProgramRuns, AProgramMayReplaceAllOfItsKernelsWhereAsked) {
  InventedProgram before = Adding(1, "before", 100, "./solver"), after(2, "after", "./solver");
  after.Launch(ProgramKernel("pack", 7, 29));
  Write({before, after});
  EXPECT_EQ(Run({"check", "--base", "before", "--cand", "after"}).status, 2);
  EXPECT_EQ(Run({"why", "--base", "before", "--cand", "after", "--different-programs"}).err, "");
  EXPECT_EQ(Run({"check", "--base", "before", "--cand", "after", "--different-programs"}).status, 0);
}

TEST_F(ProgramRuns, HistorySaysWhichRunsItLeavesOutAndWhy) {
  InventedProgram without(3, "c", "./solver in");
  without.Launch(ProgramKernel("pack", 7, 29));
  Write({Adding(1, "a", 100), Adding(2, "b", 100, "./other"), without, Adding(4, "", 100),
         Adding(5, "a", 100, "./other"), Adding(6, "d", 100, "/new/solver in"), Adding(7, "a", 100, "./solver in")});
  const Json history = Of({"history", "add"});
  EXPECT_EQ(history.at("history").at("runs").size(), 2);
  EXPECT_EQ(history.at("history").at("runs").at(0).at("executions"), 2);
  const std::string text = OneLine(Run({"history", "add"}).out);
  EXPECT_THAT(text, HasSubstr("2 runs are left out ('b', 'a'): of another command"));
  EXPECT_THAT(text, HasSubstr("1 run is left out ('c'): it has not launched add at 16x1x1x256x1x1"));
  EXPECT_THAT(text,
              HasSubstr("1 run is left out (" + UuidOf(4).substr(0, 8) + "): it has no label; --all includes it"));
}

// --- names of kernels ---

const std::string kGather4 = "void gather<4>(float const*)", kGather8 = "void gather<8>(float const*)";

TEST_F(ProgramRuns, ANameThatIsUniqueNeedsNoDigits) {
  InventedProgram before(1, "before"), after(2, "after");
  before.Launch(ProgramKernel(kGather4, 40, 100));
  after.Launch(ProgramKernel(kGather4, 40, 150)).Launch(ProgramKernel("fill_rows", 40, 10));
  Write({before, after});
  const std::string id = before.kernels[0].stage.id;
  ASSERT_THAT(id, HasSubstr("gather~"));
  EXPECT_EQ(Of({"show", "gather"}).at("context").at("stage"), id);
  EXPECT_EQ(Of({"show", "gath", "--run", "before"}).at("context").at("stage"), id);
  EXPECT_EQ(Of({"show", "gather@before"}).at("context").at("run_label"), "before");
  EXPECT_EQ(Of({"why", "gather"}).at("kernels").at("base").at("stage"), id);
  EXPECT_EQ(Of({"why", "gather@before", "gather@after"}).at("kernels").at("candidate").at("run_label"), "after");
  EXPECT_EQ(Of({"why", "gather@before", "fill@after", "--metrics"}).at("context").at("candidate"), "fill_rows");
  EXPECT_EQ(Of({"history", "gather"}).at("history").at("stage"), id);
  EXPECT_EQ(Of({"check", "--base", "before", "--cand", "after", "--stages", "gather"}, 3).at("check").at("suspects"),
            1);
}

TEST_F(ProgramRuns, ANameOfSeveralKernelsListsThem) {
  InventedProgram one(1, "one");
  one.Launch(ProgramKernel(kGather4, 40, 100)).Launch(ProgramKernel(kGather8, 40, 100));
  Write({one});
  const Result result = Run({"show", "gather"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("'gather' may be"), HasSubstr(one.kernels[0].stage.id + " (gather<4>)"),
                                HasSubstr(one.kernels[1].stage.id + " (gather<8>)")));
  EXPECT_EQ(Of({"show", "gather<8>"}).at("context").at("stage"), one.kernels[1].stage.id);
  EXPECT_EQ(Run({"show", "gather<9>"}).status, 2);
}

TEST_F(ProgramRuns, ANameIsThatOfTheRunThatIsAskedFor) {
  InventedProgram before(1, "before"), after(2, "after");
  before.Launch(ProgramKernel(kGather4, 40, 100)).Launch(ProgramKernel("add", 40, 10));
  after.Launch(ProgramKernel(kGather8, 40, 150)).Launch(ProgramKernel("add", 40, 10));
  Write({before, after});
  EXPECT_EQ(Of({"show", "gather", "--run", "before"}).at("context").at("stage"), before.kernels[0].stage.id);
  EXPECT_EQ(Of({"show", "gather"}).at("context").at("stage"), after.kernels[0].stage.id);
  const Json why = Of({"why", "gather", "--base", "before", "--cand", "after"}).at("kernels");
  EXPECT_EQ(why.at("base").at("stage"), before.kernels[0].stage.id);
  EXPECT_EQ(why.at("candidate").at("stage"), after.kernels[0].stage.id);
}

// --- shapes of two sides ---

TEST_F(ProgramRuns, EachSideHasItsOwnLaunch) {
  InventedProgram before(1, "before"), after(2, "after");
  before.Launch(ProgramKernel("add", 40, 100, 64)).Launch(ProgramKernel("add", 40, 10, 16));
  after.Launch(ProgramKernel("add", 40, 150, 32)).Launch(ProgramKernel("add", 40, 15, 8));
  Write({before, after});
  for (const bool metrics : {false, true}) {
    std::vector<std::string> words{"why", "add@before", "add@after"};
    if (metrics) words.push_back("--metrics");
    const Json own = Of(words);
    words.insert(words.end(), {"--shape", "16x1x1x256x1x1,8x1x1x256x1x1"});
    const Json named = Of(words);
    const auto shapes = [&](const Json& report) {
      if (!metrics)
        return report.at("kernels").at("base").at("shape").get<std::string>() + "," +
               report.at("kernels").at("candidate").at("shape").get<std::string>();
      return report.at("context").at("base_shape").get<std::string>() + "," +
             report.at("context").at("candidate_shape").get<std::string>();
    };
    EXPECT_EQ(shapes(own), "64x1x1x256x1x1,32x1x1x256x1x1");
    EXPECT_EQ(shapes(named), "16x1x1x256x1x1,8x1x1x256x1x1");
  }
  const Json one = Of({"why", "add", "--base", "before", "--cand", "after", "--shape", "64x1x1x256x1x1,8x1x1x256x1x1"});
  EXPECT_EQ(one.at("kernels").at("base").at("shape"), "64x1x1x256x1x1");
  EXPECT_EQ(one.at("kernels").at("candidate").at("shape"), "8x1x1x256x1x1");
  EXPECT_THAT(Run({"why", "add@before", "add@after", "--shape", "1,2,3"}).err, HasSubstr("--shape BASE,CAND"));
}

TEST_F(ProgramRuns, BenchmarksAreComparedAtAShapeThatBothHave) {
  {
    Database database = Database::OpenForRecording(folder_ / "p.db");
    RecordRun(database, ARun("aaaa", "2026-11-21T00:25:46Z", "a"), {"s"}, {4096, 2048});
    RecordRun(database, ARun("bbbb", "2026-11-22T00:25:46Z", "b"), {"s"}, {2048, 1024});
    RecordRun(database, ARun("cccc", "2026-11-23T00:25:46Z", "c"), {"s"}, {512});
  }
  const Json both = Of({"why", "s@a", "s@b", "--metrics"}).at("context");
  EXPECT_EQ(both.at("base_shape"), "2048x2048x2048");
  EXPECT_EQ(both.at("candidate_shape"), "2048x2048x2048");
  const Result none = Run({"why", "s@a", "s@c", "--metrics"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("have no shape in common"), HasSubstr("4096x4096x4096"),
                              HasSubstr("512x512x512"), HasSubstr("--shape BASE,CAND")));
  EXPECT_EQ(Run({"why", "s@a", "s@c", "--metrics", "--shape", "2048,512"}).err, "");
}

// --- reports and tables ---

TEST_F(ProgramRuns, ReportSaysThatThereAreOtherRuns) {
  Write({Adding(1, "before", 100)});
  EXPECT_THAT(Run({"report"}).out, Not(HasSubstr("--run")));
  Write({Adding(2, "after", 100), Adding(3, "", 100)});
  EXPECT_THAT(
      OneLine(Run({"report"}).out),
      HasSubstr("This is the newest of 3 runs: culprit report --run RUN shows another, culprit runs lists them"));
  EXPECT_THAT(OneLine(Run({"report", "--run", "before"}).out), Not(HasSubstr("the newest of")));
}

TEST_F(ProgramRuns, ATableIsNamedByItsHeadingToo) {
  Write({testing::ProgramBefore(), testing::ProgramAfter()});
  const auto table = [&](const char* name) { return Run({"why", "softmax_kernel", "--table", name}); };
  EXPECT_EQ(table("Causes").err, "");
  EXPECT_EQ(table("Causes").out, table("causes.parts").out);
  EXPECT_EQ(table("CAUSES.I").out, table("causes.items").out);
  const auto of_programs = [&](const char* name) { return Run({"why", "--table", name}); };
  EXPECT_EQ(of_programs("Where the difference is").err, "");
  EXPECT_EQ(of_programs("where the diff").out, of_programs("program.parts").out);
}

}  // namespace
}  // namespace culprit
