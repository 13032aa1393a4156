// SPDX-License-Identifier: Apache-2.0
// `culprit why` of two runs of a program, and `culprit check` of them, as a user would call them.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/program/program_why.h"
#include "analysis/show/report/program_why_report.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_program.h"
#include "tests/support/invented_why.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/run_command.h"

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

class ProgramWhyCommand : public ::testing::Test {
 protected:
  Database Open() { return Database::OpenForRecording(folder_ / "p.db"); }
  void Write(std::vector<InventedProgram> programs) {
    Database database = Open();
    for (InventedProgram& program : programs) program.Write(database);
  }
  Result Run(std::vector<std::string> args) {
    args.insert(args.end(), {"--db", (folder_ / "p.db").string()});
    return RunCommand(args);
  }
  Json Of(std::vector<std::string> args) {
    args.push_back("--json");
    const Result result = Run(std::move(args));
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out);
  }
  static InventedProgram Adding(int number, const std::string& label, double us,
                                const std::string& command = "./solver input") {
    InventedProgram program(number, label, command);
    program.Launch(ProgramKernel("add", 40, us));
    return program;
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

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST_F(ProgramWhyCommand, TellsLaunchesOfOneGridApartByTheirBlocks) {
  const auto sweep = [](int number, const std::string& label, double us) {
    InventedProgram program(number, label, "./solver input");
    for (const unsigned threads : {64u, 128u}) {
      KernelRecord kernel = ProgramKernel("sweep", 40, us * threads);
      kernel.launch.block_x = threads;
      kernel.launch.shape = fmt::format("16x1x1x{}x1x1", threads);
      program.Launch(std::move(kernel));
    }
    return program;
  };
  Write({sweep(1, "before", 1), sweep(2, "after", 2)});
  const std::string text = OneLine(Run({"why"}).out);
  EXPECT_THAT(text, HasSubstr("sweep 16x1x1 of 64x1x1"));
  EXPECT_THAT(text, HasSubstr("sweep 16x1x1 of 128x1x1"));
}

TEST_F(ProgramWhyCommand, AnswersFirstAndAddsUp) {
  Write({testing::ProgramBefore(), testing::ProgramAfter()});
  const Json answer = Of({"why"});
  EXPECT_EQ(answer.at("title"),
            "Kernels of train.py take 25,678.2 us (69.0 %) longer; the span on the GPU is 25,488.2 us (60.5 %) "
            "longer (idle time fell by 500.0 us): softmax_kernel takes on average 582.0 us longer in each of 40 "
            "calls (an array in local memory); 1 kernel is new (+3,599.7 us) and 1 is gone (-1,999.9 us)");
  EXPECT_EQ(answer.at("kind"), "why_program");
  double sum = 0;
  for (const Json& part : answer.at("program").at("parts")) {
    sum += part.at("delta_us").get<double>();
    EXPECT_NEAR(part.at("delta_us").get<double>(), part.at("calls_us").get<double>() + part.at("time_us").get<double>(),
                1e-6);
  }
  EXPECT_NEAR(sum, answer.at("program").at("delta_us").get<double>(), 1e-6);
}

TEST_F(ProgramWhyCommand, CausesAndWhatIsUnexplainedMakeTheTimeOfAPart) {
  Write({testing::ProgramBefore(), testing::ProgramAfter()});
  const Json program = Of({"why"}).at("program");
  int explained = 0;
  for (const Json& part : program.at("parts")) {
    if (part.at("explained") != "yes") continue;
    ++explained;
    double sum = part.at("unexplained_us").get<double>();
    for (const Json& cause : program.at("causes"))
      if (cause.at("stage") == part.at("stage") && cause.at("shape") == part.at("shape"))
        sum += cause.at("delta_us").get<double>();
    EXPECT_NEAR(sum, part.at("time_us").get<double>(), 1e-6);
  }
  EXPECT_EQ(explained, 1);
}

// Nine launches take longer, and six of them are explained.
TEST_F(ProgramWhyCommand, EachKernelThatIsNotExplainedNamesTheCommandThatDoesIt) {
  const auto program = [](int number, const std::string& label, double longer) {
    InventedProgram p(number, label, "./solver input");
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) p.Launch(ProgramKernel(name, 40, 100 * longer));
    for (const unsigned grid : {16u, 32u}) {
      KernelRecord kernel = ProgramKernel("twice", 40, 50 * longer, grid);
      kernel.launch.shape = fmt::format("{}x1x1x256x1x1", grid);
      p.Launch(std::move(kernel));
    }
    p.Launch(ProgramKernel(longer > 1 ? "came" : "went", 40, 10));
    p.Copy(CopyKind::kToDevice, 10, 100 * longer);
    return p;
  };
  Write({program(1, "before", 1), program(2, "after", 1.5)});
  int others = 0;
  const Json whole = Of({"why"});
  for (const Json& part : whole.at("program").at("parts")) {
    const std::string why_not = part.at("why_not"), name = part.at("name");
    EXPECT_EQ(why_not.empty(), part.at("explained") == "yes" || part.at("of") != "launches") << part;
    const std::size_t command = why_not.find("'culprit ");
    if (command == why_not.npos) continue;
    ++others;
    std::istringstream in(why_not.substr(command + 9, why_not.find('\'', command + 1) - command - 9));
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(std::move(word));
    const Json answer = Of(words);
    const bool is_why = answer.contains("base_us");
    const Json& of = is_why ? answer : answer.at("context");
    EXPECT_EQ(of.at("shape"), part.at("shape")) << why_not;
    EXPECT_EQ(of.at(is_why ? "base" : "stage"), name) << why_not;
    if (is_why) {
      EXPECT_NEAR(answer.at("base_us").get<double>(), part.at("base_us").get<double>() / 40, 1) << why_not;
    }
  }
  EXPECT_EQ(others, 2 + 2 + 1) << "those at two grids, the new and the gone one, and one of seven alike";
}

TEST_F(ProgramWhyCommand, FitsEightyColumns) {
  InventedProgram before = testing::ProgramBefore(), after = testing::ProgramAfter();
  const std::string longest = "void cutlass::device_kernel<" + std::string(3000, 'x') + ">(int)";
  before.Launch(ProgramKernel(longest, 456, 3000, 65535));
  after.Launch(ProgramKernel(longest, 200, 9000, 65536));
  Write({before, after});
  const Database database = Open();
  const ProgramExplanation e = ExplainProgram(database, database.RunsNamed("before"), database.RunsNamed("after"));
  std::ostringstream text;
  RenderText(Printable(MakeProgramWhyReport(e, {}, {})), text, {.width = 80});
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(ProgramWhyCommand, NamesWhatWouldMeasureALargePartWithoutACause) {
  Write({testing::ProgramBefore(), testing::ProgramAfter()});
  const Database database = Open();
  ProgramExplanation e = ExplainProgram(database, database.RunsNamed("before"), database.RunsNamed("after"));
  ProgramPart& softmax = e.parts.front();
  ASSERT_TRUE(softmax.causes);
  const auto page = [&](double open) {
    softmax.causes->unexplained_us = open * softmax.time_us;
    std::ostringstream text;
    RenderText(Printable(MakeProgramWhyReport(e, {}, {})), text, {.width = 500});
    return text.str();
  };
  Explanation& x = softmax.causes->explanation;
  x.not_judged = {};
  x.to_measure = {.how = "record both with more", .matters = false, .for_rest = {"l1_throughput_pct", "stall_drain"}};
  const auto rest = HasSubstr(
      "much is given to no cause, because counters are missing: l1_throughput_pct, "
      "stall_drain; to measure them: record both with more");
  EXPECT_THAT(page(0.5), rest);
  EXPECT_THAT(page(0.01), Not(HasSubstr("counters are missing"))) << "little is open";
  x.not_judged = {{.cause = "shared_bank_conflicts", .missing = {}, .to_ask = {"sass_shared_wavefronts"}}};
  EXPECT_THAT(page(0.5), AllOf(Not(rest), HasSubstr("not judged, because counters are missing: shared_bank_conflicts; "
                                                    "to measure them: record both with more")));
}

TEST_F(ProgramWhyCommand, NamesTheWorkFirstWhereAProgramIdlesMost) {
  InventedProgram before = Adding(1, "before", 100), after = Adding(2, "after", 200);
  before.idle_us = 5e6;
  after.idle_us = 3e6;
  Write({before, after});
  const Result result = Run({"why"});
  EXPECT_THAT(
      OneLine(result.out),
      HasSubstr("Kernels of solver take 4.000 ms (100.0 %) longer; the span on the GPU is 1,996.0 ms "
                "(39.9 %) shorter (idle time fell by 2,000.0 ms): add takes on average 99.99 us longer in each of 40 "
                "calls"));
  // Idling must not hide that a kernel is worth explaining.
  EXPECT_THAT(result.out, HasSubstr("Why calls take another time"));
  const Json program = Of({"why"}).at("program");
  EXPECT_NEAR(program.at("base_work_us").get<double>(), 4000, 2);
  EXPECT_NEAR(program.at("candidate_work_us").get<double>(), 8000, 4);
  EXPECT_NEAR(program.at("delta_us").get<double>(), 4000 - 2e6, 4);
}

TEST_F(ProgramWhyCommand, SaysOfIdlingAloneThatKernelsTakeAsLong) {
  InventedProgram before = Adding(1, "before", 100), after = Adding(2, "after", 100);
  after.idle_us = 3000;
  Write({before, after});
  const std::string text = Run({"why"}).out;
  EXPECT_THAT(text, HasSubstr("Kernels of solver take about as long as before"));
  EXPECT_THAT(OneLine(text), HasSubstr("(idle time rose by 3,000.0 us)"));
}

TEST_F(ProgramWhyCommand, TakesTheNewestTwoOfOneLabel) {
  Write({Adding(1, "nightly", 100), Adding(2, "other", 500), Adding(3, "nightly", 200)});
  const Json answer = Of({"why"});
  EXPECT_EQ(answer.at("context").at("base_run_uuid"), Adding(1, "", 1).run.uuid);
  EXPECT_EQ(answer.at("context").at("run_uuid"), Adding(3, "", 1).run.uuid);
}

TEST_F(ProgramWhyCommand, TakesTheNewestTwoOfOneCommandWhereLabelsDiffer) {
  Write({Adding(1, "before", 100), Adding(2, "", 500, "./other"), Adding(3, "after", 200)});
  EXPECT_EQ(Of({"why"}).at("context").at("base_run_label"), "before");
}

TEST_F(ProgramWhyCommand, TakesTheNewestTwoThatHaveLabelsWhereNothingElseIsAlike) {
  Write({Adding(1, "before", 100, "./v1"), Adding(2, "", 500, "./other"), Adding(3, "after", 200, "./v2")});
  const Json context = Of({"why"}).at("context");
  EXPECT_EQ(context.at("base_run_label"), "before");
  EXPECT_EQ(context.at("run_uuid"), Adding(3, "", 1).run.uuid);
}

TEST_F(ProgramWhyCommand, SaysWhatToDoWithoutTwoRuns) {
  Open();
  EXPECT_THAT(Run({"why"}).err, HasSubstr("there is no run of a program to compare: record one before and after"));
  Write({Adding(1, "", 100, "./a"), Adding(2, "", 100, "./b")});
  const Result none = Run({"why"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("no two runs of programs have the same command and a kernel in common"));
  const auto name = [](int number) { return Adding(number, "", 1).run.uuid.substr(0, 8); };
  EXPECT_THAT(none.err, HasSubstr("culprit why --base " + name(1) + " --cand " + name(2)));
  EXPECT_THAT(Run({"why", "--base", "./a"}).err, HasSubstr("--cand is missing"));
  EXPECT_THAT(Run({"why", "--base", "./a", "--cand", "./a"}).err, HasSubstr("--base and --cand both name run"));
  EXPECT_THAT(Run({"why", "--base", "./c", "--cand", "./a"}).err, HasSubstr("./c"));
  EXPECT_THAT(Run({"why", "--run", "./c"}).err, HasSubstr("--run, --shape, --gpu, --nvtx and --launch choose"));
  EXPECT_THAT(Run({"why", "--base", "./a", "--cand", "./b", "--format", "html", "--source", "."}).err,
              HasSubstr("--source works only when the lines of two kernels are compared"));
}

TEST_F(ProgramWhyCommand, FindsARunByWordsOfItsCommand) {
  Write({Adding(1, "", 100, "./a --fast"), Adding(2, "", 100, "./a --slow")});
  EXPECT_EQ(Of({"why", "--base", "--slow", "--cand", "--fast"}).at("context").at("run_uuid"),
            Adding(1, "", 1).run.uuid);
}

TEST_F(ProgramWhyCommand, HoldsAllExecutionsOfALabelAgainstTheOthers) {
  Write({Adding(1, "old", 100), Adding(2, "old", 104), Adding(3, "old", 102), Adding(4, "new", 120),
         Adding(5, "new", 121), Adding(6, "new", 119)});
  const Json apart = Of({"why", "--base", "old", "--cand", "new"});
  EXPECT_EQ(apart.at("program").at("base_runs"), 3);
  EXPECT_NEAR(apart.at("program").at("base_us").get<double>(), 4080, 5);
  EXPECT_EQ(apart.at("program").at("verdict"), "slower");
  EXPECT_THAT(OneLine(Run({"why", "--base", "old", "--cand", "new"}).out),
              HasSubstr("By the kernels of 3 executions (3,999.7 us .. 4,159.7 us) of the base and 3 executions"));
  Write({Adding(7, "new", 101)});
  EXPECT_THAT(FirstLine(Run({"why", "--base", "old", "--cand", "new"}).out),
              HasSubstr("Kernels of solver may or may not take longer"));
  EXPECT_EQ(Of({"why", "--base", "old", "--cand", "new"}).at("program").at("verdict"), "ambiguous");
  // Neither is it passed.
  const Json check = Json::parse(Run({"check", "--base", "old", "--cand", "new", "--json"}).out).at("check");
  EXPECT_EQ(check.at("work_judgement"), "inconclusive");
}

TEST_F(ProgramWhyCommand, TellsASmallDifferenceFromNone) {
  Write({Adding(1, "", 100), Adding(2, "", 100.2)});
  EXPECT_THAT(FirstLine(Run({"why"}).out), HasSubstr("Kernels of solver take about as long as before"));
}

TEST_F(ProgramWhyCommand, ExplainsNothingByTwoCalls) {
  InventedProgram before(1, "before"), after(2, "after");
  before.Launch(ProgramKernel("add", 2, 100));
  after.Launch(ProgramKernel("add", 2, 150));
  Write({before, after});
  const Result result = Run({"why"});
  EXPECT_THAT(OneLine(result.out), HasSubstr("longer in each of 2 calls"));
  EXPECT_THAT(result.out, AllOf(HasSubstr("called too seldom to tell"), Not(HasSubstr("--samples"))));
}

TEST_F(ProgramWhyCommand, ComparesOneKernelOfBothRuns) {
  Write({testing::ProgramBefore(), testing::ProgramAfter()});
  const Json one = Of({"why", "softmax_kernel", "--base", "before", "--cand", "after"});
  EXPECT_EQ(one.at("kind"), "why");
  EXPECT_EQ(one.at("causes").at(0).at("cause"), "local_memory_array");
  EXPECT_EQ(one.at("kernels").at("base").at("run_label"), "before");
  EXPECT_EQ(Of({"why", "softmax_kernel"}), one);
  EXPECT_THAT(Run({"why", "permute_axes"}).err,
              HasSubstr("'permute_axes' has no counterpart, because only the base run launched it"));
  EXPECT_THAT(Run({"why", "softmax_kernl"}).err, HasSubstr("did you mean 'softmax_kernel'"));
  EXPECT_THAT(Run({"why", "softmax_kernel", "--base", "before"}).err, HasSubstr("CANDIDATE is missing"));
}

TEST_F(ProgramWhyCommand, ComparesAKernelThatIsLaunchedInAnotherWay) {
  InventedProgram before(1, "before"), after(2, "after");
  before.Launch(ProgramKernel("add", 40, 100, 64));
  after.Launch(ProgramKernel("add", 40, 150, 32));
  Write({before, after});
  EXPECT_EQ(Of({"why", "add"}).at("kernels").at("candidate").at("shape"), "32x1x1x256x1x1");
}

TEST_F(ProgramWhyCommand, SendsRunsOfABenchmarkToStagesAndCheck) {
  testing::WriteWhyDatabase(folder_ / "p.db");
  const Result result = Run({"why", "--base", "invented", "--cand", "invented"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("recorded by a benchmark, not from a program: name the two kernels"),
                                HasSubstr("culprit check")));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1);
}

TEST_F(ProgramWhyCommand, StaysHarmlessWithHostileNames) {
  InventedProgram before(1, "<b>", "./<script>\x1b[31m"), after(2, "<b>", "./<script>\x1b[31m");
  const std::string evil = "evil\x1b[2J<img src=x onerror=alert(1)>|`\n\xff" + std::string(200000, 'A');
  before.Launch(ProgramKernel(evil, 40, 100));
  after.Launch(ProgramKernel(evil, 40, 200)).Launch(ProgramKernel(evil + "2", 3, 10));
  Write({before, after});
  for (const char* format : {"text", "md", "csv", "json"}) {
    const Result result = Run({"why", "--format", format, "-v"});
    EXPECT_EQ(result.status, 0) << result.err;
    if (std::string(format) == "csv") continue;  // exact: what reads it is no terminal
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << format;
    if (std::string(format) == "md") {
      EXPECT_THAT(result.out, AllOf(HasSubstr("\\<img"), Not(HasSubstr(" <img")), Not(HasSubstr("2J<img"))));
    }
  }
}

TEST_F(ProgramWhyCommand, ChecksWhatBelongsTogetherAndTellsTheRest) {
  Write({testing::ProgramBefore(), testing::ProgramAfter()});
  const Result result = Run({"check", "--base", "before", "--cand", "after", "--json"});
  EXPECT_EQ(result.status, 3) << result.err;
  const Json check = Json::parse(result.out).at("check");
  EXPECT_EQ(check.at("regressions"), 0);
  EXPECT_EQ(check.at("suspects"), 1);
  EXPECT_EQ(check.at("same"), 3);
  EXPECT_EQ(check.at("not_compared"), 2);
  EXPECT_EQ(check.at("not_judged"), 0);
}

TEST_F(ProgramWhyCommand, DoesNotJudgeALargeKernelByTwoCallsAndNamesASmallOne) {
  InventedProgram before(1, "before"), after(2, "after");
  for (InventedProgram* program : {&before, &after})
    program->Launch(ProgramKernel("add", 40, 100)).Launch(ProgramKernel("fill", 1, 5)).idle_us = 1000;
  after.kernels[1].program->share_us = 6;
  Write({before, after});
  const Result fine = Run({"check", "--base", "before", "--cand", "after"});
  EXPECT_EQ(fine.status, 0) << fine.out;
  EXPECT_THAT(fine.out,
              AllOf(HasSubstr("Called once in the base run and once in the candidate"), Not(HasSubstr("--samples"))));
  // Nor does one whose calls scatter close a gate, where it is small.
  InventedProgram calm(4, "calm"), wild(5, "wild");
  for (InventedProgram* program : {&calm, &wild})
    program->Launch(ProgramKernel("add", 40, 1000)).Launch(ProgramKernel("fill", 20, 5)).idle_us = 1e6;
  for (KernelRecord* fill : {&calm.kernels[1], &wild.kernels[1]})
    for (std::size_t i = 0; i < fill->samples.size(); ++i)
      fill->samples[i].time_us *= 1 + 0.05 * static_cast<double>(i);
  Write({calm, wild});
  const Result scattered = Run({"check", "--base", "calm", "--cand", "wild"});
  EXPECT_EQ(scattered.status, 0) << scattered.out;
  EXPECT_THAT(OneLine(scattered.out), HasSubstr("scatter too widely to compare, and less than 1 %"));
  InventedProgram heavy(3, "heavy"), again(6, "again");
  for (InventedProgram* program : {&heavy, &again})
    program->Launch(ProgramKernel("add", 40, 100)).Launch(ProgramKernel("fill", 1, 500)).idle_us = 1000;
  Write({heavy, again});
  const Result open = Run({"check", "--base", "heavy", "--cand", "again"});
  EXPECT_EQ(open.status, 3) << open.out;
}

TEST_F(ProgramWhyCommand, ChecksCodeThatDidNotChangeOnOtherInputs) {
  InventedProgram before(1, "before"), after(2, "after");
  before.Launch(ProgramKernel("add", 40, 100));
  after.Launch(ProgramKernel("add", 40, 150));
  Write({before, after});
  const Result result = Run({"check", "--base", "before", "--cand", "after"});
  EXPECT_EQ(result.status, 3) << result.out;
  EXPECT_THAT(result.out, HasSubstr("its inputs"));
}

TEST_F(ProgramWhyCommand, SaysWhetherTheClockIsKnown) {
  const auto program = [](int number, const char* label, double us, double mhz) {
    InventedProgram p(number, label);
    testing::KernelBuilder like = testing::Quiet();
    like.Metric("counted_time_ns", 1000 * us, "ns").Metric("sm_cycles_elapsed_max", us * mhz, "cycle");
    p.Launch(ProgramKernel("add", 40, us, 16, like));
    return p;
  };
  Write({program(1, "before", 100, 1800), program(2, "alike", 150, 1805), program(3, "other", 150, 1500)});
  const Result alike = Run({"check", "--base", "before", "--cand", "alike"});
  EXPECT_EQ(alike.status, 3) << alike.out;
  EXPECT_THAT(OneLine(alike.out),
              AllOf(HasSubstr("its inputs or what ran beside it differ; both were counted at one clock"),
                    Not(HasSubstr("time alone decides"))));
  const Result other = Run({"check", "--base", "before", "--cand", "other"});
  EXPECT_EQ(other.status, 3) << other.out;
  EXPECT_THAT(OneLine(other.out), AllOf(HasSubstr("its inputs, the clock or what ran beside it differ"),
                                        HasSubstr("counted at 1,800 MHz and 1,500 MHz, so its time alone decides")));
}

TEST_F(ProgramWhyCommand, TakesEachOfFiveExecutionsForOneValueOfAKernel) {
  const auto once = [](int number, const char* label, double us) {
    InventedProgram p(number, label);
    p.Launch(ProgramKernel("add", 1, us)).Launch(ProgramKernel("fill", 1, 50));
    return p;
  };
  for (int i = 0; i < 4; ++i) Write({once(1 + i, "old", 100 + 0.1 * i), once(6 + i, "new", 150 + 0.1 * i)});
  // Of a kernel four say nothing, and how they would.
  EXPECT_EQ(Json::parse(Run({"check", "--base", "old", "--cand", "new", "--json"}).out).at("check").at("inconclusive"),
            2);
  EXPECT_THAT(OneLine(Run({"check", "--base", "old", "--cand", "new"}).out),
              AllOf(HasSubstr("too seldom to compare: record at least 5 executions of each with one label"),
                    Not(HasSubstr("--samples"))));
  Write({once(5, "old", 99.9), once(10, "new", 149.9)});
  const Result check = Run({"check", "--base", "old", "--cand", "new"});
  EXPECT_EQ(check.status, 1) << check.out;
  EXPECT_THAT(check.out, HasSubstr("5 executions of the base are compared with 5 of the candidate"));
  const Json one = Of({"why", "add", "--base", "old", "--cand", "new"});
  EXPECT_EQ(one.at("verdict"), "slower") << one.at("verdict_reason");
  EXPECT_THAT(one.at("verdict_reason").get<std::string>(), HasSubstr("over 5 and 5 executions"));
  const Json parts = Of({"why", "--base", "old", "--cand", "new"}).at("program").at("parts");
  EXPECT_EQ(parts.at(0).at("stage"), "add");
  EXPECT_EQ(parts.at(0).at("verdict"), "slower");
}

}  // namespace
}  // namespace culprit
