// SPDX-License-Identifier: Apache-2.0
// `culprit check` through the command's entry: every exit status, and that nothing passes silently.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/gate/check.h"
#include "analysis/show/report/check_notes.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_gate.h"
#include "tests/support/run_command.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;
using testing::GateRuns;
using testing::Result;
using testing::RunCommand;
using testing::SetTimes;

Result Check(const std::filesystem::path& database, std::vector<std::string> args = {}) {
  args.insert(args.begin(), {"check", "--db", database.string()});
  if (std::ranges::find(args, "--base") == args.end()) args.insert(args.end(), {"--base", "main", "--cand", "change"});
  return RunCommand(args);
}

Result Check(const GateRuns& runs, const std::vector<std::string>& args = {}) {
  const testing::TemporaryFolder folder;
  runs.Write(folder / "m.db");
  return Check(folder / "m.db", args);
}

Json AsJson(const Result& result) {
  EXPECT_EQ(result.err, "");
  return Json::parse(result.out);
}

// Without the line breaks, which fall where the words happen to end.
std::string Flat(const std::string& text) {
  std::istringstream in(text);
  std::string flat;
  for (std::string word; in >> word;) flat += (flat.empty() ? "" : " ") + word;
  return flat;
}

// What became of one stage of the candidate run.
Json LaunchOf(const Json& check, const std::string& stage) {
  for (const Json& launch : check["check"]["launches"])
    if (launch["stage"] == stage) return launch;
  throw std::out_of_range(stage);
}

TEST(CheckCommand, IsFineWhenNothingChanged) {
  const Result text = Check(GateRuns());
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith("Fine: 3 launches compared, 0 slower by more than 2 %\n"));
  const Json json = AsJson(Check(GateRuns(), {"--json"}));
  EXPECT_EQ(json["check"]["outcome"], "fine");
  EXPECT_EQ(json["check"]["exit_status"], 0);
  EXPECT_EQ(json["check"]["same"], 3);
}

TEST(CheckCommand, TakesTheNewestRunAndTheNewestBeforeIt) {
  const testing::TemporaryFolder folder;
  GateRuns runs;
  SetTimes(runs.At("v1_7"), 705 * 1.05);
  runs.At("v1_7").cubin_digest = "18";
  runs.Write(folder / "m.db");
  const Json json = Json::parse(Check(folder / "m.db", {"--base", "newest", "--cand", "newest", "--json"}).out);
  EXPECT_EQ(json["context"]["run_label"], "change");
  EXPECT_EQ(json["context"]["base_run_label"], "main");
  EXPECT_EQ(json["check"]["regressions"], 1);
  const Result first = Check(folder / "m.db", {"--base", "newest", "--cand", "main"});
  EXPECT_EQ(first.status, 2);
  EXPECT_THAT(first.err, HasSubstr("--base newest: there is no complete run of the same program"));
  EXPECT_THAT(Check(folder / "m.db", {"--base", "branch:", "--cand", "change"}).err, HasSubstr("branch:main"));
}

TEST(CheckCommand, BeginsWithTheCostliestRegressionItsCauseAndItsPlace) {
  const testing::TemporaryFolder folder;
  testing::WriteRecordedGate(folder / "m.db");
  const Result md = Check(folder / "m.db", {"--format", "md"});
  std::istringstream lines(md.out);
  std::string title, empty, worst;
  std::getline(lines, title), std::getline(lines, empty), std::getline(lines, worst);
  EXPECT_THAT(title, StartsWith("# Inconclusive: 1 of "));
  EXPECT_THAT(worst,
              ::testing::MatchesRegex("v1.*_7 at .* us -> .* us, .*Cause: .* us .*, in kernel v1_7 [(].*:[0-9]+[)][.]"))
      << md.out;
}

// What a database lets in is checked where it enters; the gate is safe without that.
class CheckOfNoNumbers : public ::testing::Test {
 protected:
  culprit::Check Made() const {
    const RunSummary& run = base.front().run;
    return MakeCheck(run, base, run, candidate, 0.02);
  }
  std::vector<KernelRecord> base = testing::GateKernels(), candidate = testing::GateKernels();
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
};

TEST_F(CheckOfNoNumbers, FindsWhatInfiniteClocksWouldHide) {
  for (auto* side : {&base, &candidate})
    for (KernelRecord& kernel : *side)
      for (Sample& sample : kernel.samples) {
        sample.clock_mhz = kInfinite;
        if (side == &candidate) sample.time_us *= 1000;
      }
  EXPECT_NE(Made().Status(), CheckStatus::kFine) << "the same code, and no cycles to tell the clock from it";
  for (KernelRecord& kernel : candidate) kernel.cubin_digest = "another";
  EXPECT_EQ(Made().Status(), CheckStatus::kRegression);
}

TEST_F(CheckOfNoNumbers, PassesNoLaunchWhoseTimesAreNone) {
  for (const double time : {kInfinite, std::numeric_limits<double>::quiet_NaN(), -1.0, 0.0})
    for (auto* side : {&base, &candidate}) {
      auto kernels = testing::GateKernels();
      for (Sample& sample : kernels.front().samples) sample.time_us = time;
      side->swap(kernels);
      const culprit::Check check = Made();
      EXPECT_EQ(check.Status(), CheckStatus::kNotJudged) << time;
      EXPECT_THAT(check.launches.front().why, HasSubstr("16 of its 16 times in the ")) << time;
      side->swap(kernels);
    }
}

TEST_F(CheckOfNoNumbers, PassesNoLaunchOneOfWhoseTimesIsNone) {
  candidate.front().samples[3].time_us = kInfinite;
  EXPECT_EQ(Made().Status(), CheckStatus::kNotJudged);
  EXPECT_EQ(Made().launches.front().why,
            "1 of its 16 times in the candidate run is no positive, finite number: record it again.");
  for (Sample& sample : candidate.front().samples) sample.time_us *= 2;
  EXPECT_EQ(Made().Status(), CheckStatus::kRegression) << "what is left is slow enough";
}

TEST_F(CheckOfNoNumbers, TakesNoErrorBelow0ForVerified) {
  candidate.front().launch.verify_error_over_bound = -1;
  EXPECT_EQ(Made().Status(), CheckStatus::kNotJudged);
}

TEST(CheckCommand, SaysThatTheIntervalOfATimeContains0) {
  std::vector<KernelRecord> base = testing::GateKernels(), candidate = base;
  // 1.3 % more: beyond a floor of 1 % in cycles, within one of 1.7 % in time.
  for (Sample& sample : candidate.front().samples) sample.time_us *= 1.013;
  candidate.front().cubin_digest = "another";
  const culprit::Check check = MakeCheck(base.front().run, base, base.front().run, candidate, 0.02);
  ASSERT_EQ(check.launches.front().explanation->verdict.speed, Speed::kSlower);
  EXPECT_THAT(check.launches.front().remarks,
              ::testing::Contains("It is slower by its cycles alone: the interval of its time contains 0."));
}

// A reader of the first launches alone sees those that matter, in every format.
TEST(CheckCommand, ListsTheMostUrgentFirstAndOfEachTheLargest) {
  std::vector<KernelRecord> base = testing::GateKernels();
  ASSERT_EQ(base.size(), 3u);
  std::vector<KernelRecord> candidate = base;
  for (KernelRecord& kernel : candidate) kernel.cubin_digest = "another";
  const auto set_times = [&](std::size_t kernel, double base_us, double candidate_us) {
    for (auto* side : {&base, &candidate})
      for (Sample& sample : (*side)[kernel].samples) sample.time_us = side == &candidate ? candidate_us : base_us;
  };
  const auto checked = [&] { return MakeCheck(base.front().run, base, base.front().run, candidate, 0.02); };
  const auto names = [&] {
    std::vector<std::string> stages;
    for (const CheckedLaunch& launch : checked().launches) stages.push_back(launch.stage);
    return stages;
  };
  // The first costs least, and is slower by the largest factor.
  set_times(0, 50, 150), set_times(1, 1000, 1200), set_times(2, 5000, 6000);
  EXPECT_THAT(names(), ElementsAre(base[2].stage.id, base[1].stage.id, base[0].stage.id));
  EXPECT_THAT(WorstLine(checked()), StartsWith("Worst: " + base[2].stage.id));
  std::vector<std::string> notes;
  for (const CheckNote& note : CheckNotes(checked())) notes.push_back(note.name);
  EXPECT_THAT(notes,
              ElementsAre(StartsWith(base[2].stage.id), StartsWith(base[1].stage.id), StartsWith(base[0].stage.id)));
  // One that is much faster comes behind those that are slower, and before those that are as they were.
  set_times(0, 5000, 50), set_times(2, 100, 100);
  EXPECT_THAT(names(), ElementsAre(base[1].stage.id, base[0].stage.id, base[2].stage.id));
  // One that cannot be judged comes before the faster one.
  candidate[2].launch.state = LaunchState::kFailed;
  EXPECT_THAT(names(), ElementsAre(base[1].stage.id, base[2].stage.id, base[0].stage.id));
}

TEST(CheckCommand, FindsARegressionBeyondTheLimit) {
  GateRuns runs;
  SetTimes(runs.At("v1_7"), 705 * 1.05);
  runs.At("v1_7").cubin_digest = "18";
  const Result text = Check(runs);
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.out, StartsWith("Regression: 1 of 3 launches is slower by more than 2 %\n"));
  EXPECT_THAT(text.out, Not(HasSubstr("the machine")));
  const Json launch = LaunchOf(AsJson(Check(runs, {"--json"})), "v1_7");
  EXPECT_EQ(launch["judgement"], "regression");
  EXPECT_EQ(launch["code"], "changed");
  EXPECT_NEAR(launch["change_pct"], 5, 0.1);
}

// Each side of the recording is one process.
TEST(CheckCommand, PrintsTheCausesOfASuspect) {
  const testing::TemporaryFolder folder;
  testing::WriteRecordedGate(folder / "m.db");
  for (const char* format : {"text", "md"}) {
    const Result result = Check(folder / "m.db", {"--format", format});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_THAT(result.out, HasSubstr("local_memory_array")) << format;
  }
  const Json json = AsJson(Check(folder / "m.db", {"--json"}));
  const Json launch = LaunchOf(json, "v1_7");
  EXPECT_EQ(launch["judgement"], "suspect");
  EXPECT_EQ(json["check"]["suspects"], 1);
  EXPECT_EQ(json["check"]["regressions"], 0);
  // All others are copies of themselves.
  EXPECT_EQ(json["check"]["same"], json["check"]["launches"].size() - 1);
  EXPECT_EQ(json["check"]["causes"][0]["cause"], "local_memory_array");
  EXPECT_THAT(json["check"]["causes"][0]["confirmed_by"].get<std::string>(), HasSubstr("v1_"));
  double parts = launch["unexplained_us"];
  for (const Json& cause : json["check"]["causes"]) parts += cause["delta_us"].get<double>();
  EXPECT_NEAR(parts, launch["candidate_us"].get<double>() - launch["base_us"].get<double>(), 0.1);
}

TEST(CheckCommand, AcceptsASlowDownWithinTheLimit) {
  GateRuns runs;
  SetTimes(runs.At("v1_7"), 705 * 1.05);
  const Result result = Check(runs, {"--max-slowdown", "6%", "--json"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(LaunchOf(AsJson(result), "v1_7")["judgement"], "within limit");
  EXPECT_EQ(Check(runs, {"--max-slowdown", "4%"}).status, 1);
  EXPECT_EQ(Check(runs, {"--max-slowdown", "4"}).status, 1);
  EXPECT_EQ(Check(runs, {"--max-slowdown", "6 %"}).status, 0);
  EXPECT_EQ(Check(runs, {"--max-slowdown", "0%"}).status, 1);
}

TEST(CheckCommand, NamesAnImprovementAndIsFine) {
  GateRuns runs;
  SetTimes(runs.At("v1_6"), 1287 * 0.8);
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("Improvements\n"));
}

// Samples spread evenly over this share of `us`.
void Scatter(KernelRecord& kernel, double us, double spread) {
  SetTimes(kernel, us);
  for (std::size_t i = 0; i < kernel.samples.size(); ++i)
    kernel.samples[i].time_us = us * (1 + spread * (static_cast<double>(i * 7 % 16) / 15 - 0.5));
}

std::string BeforeTheFold(const std::string& markdown) { return markdown.substr(0, markdown.find("<details>")); }

TEST(CheckCommand, NamesAboveTheFoldWhatIsTheSameAndMayBeSlowerBeyondTheLimit) {
  GateRuns runs;
  Scatter(runs.At("v1_7"), 705 * 1.01, 0.02);
  testing::InOneProcess(runs.At("v1_7"));
  testing::InOneProcess(runs.base[1]);
  const Result result = Check(runs, {"--format", "md"});
  const Json launch = LaunchOf(AsJson(Check(runs, {"--json"})), "v1_7");
  ASSERT_EQ(launch["judgement"], "same") << launch;
  ASSERT_GT(launch["change_high_pct"], 2) << launch;
  EXPECT_EQ(result.status, 0);
  EXPECT_GE(launch["not_excluded_pct"], launch["change_high_pct"]);
  EXPECT_THAT(
      result.out,
      StartsWith("# Fine: 3 launches compared, 0 slower by more than 2 %, 1 of them could be slower by up to "));
  EXPECT_THAT(BeforeTheFold(result.out), HasSubstr("| v1_7 | 2048x2048x2048 |"));
}

TEST(CheckCommand, NamesAboveTheFoldWhatIsSlowerWithinTheLimitAndMayBeBeyond) {
  GateRuns runs;
  SetTimes(runs.At("v1_7"), 705 * 1.05);
  const Result result = Check(runs, {"--format", "md", "--max-slowdown", "5.2%"});
  const Json launch = LaunchOf(AsJson(Check(runs, {"--json", "--max-slowdown", "5.2%"})), "v1_7");
  ASSERT_EQ(launch["judgement"], "within limit") << launch;
  EXPECT_GT(launch["not_excluded_pct"], 5.2) << launch;
  EXPECT_THAT(BeforeTheFold(result.out), HasSubstr("| v1_7 | 2048x2048x2048 |"));
  const Json wide = LaunchOf(AsJson(Check(runs, {"--json", "--max-slowdown", "20%"})), "v1_7");
  EXPECT_TRUE(wide["not_excluded_pct"].is_null()) << wide;
  EXPECT_THAT(Check(runs, {"--max-slowdown", "20%"}).out, Not(HasSubstr("exclude")));
}

TEST(CheckCommand, SaysThatUnchangedCodeWasSlowedDownBySomethingElseAndGivesItNoCause) {
  GateRuns runs;
  const KernelRecord slow = runs.At("v1_6");
  KernelRecord& v1_7 = runs.At("v1_7");
  v1_7.readings = slow.readings;
  v1_7.samples = slow.samples;
  const Json same = AsJson(Check(runs, {"--json"}));
  EXPECT_EQ(same["check"]["exit_status"], 1);
  EXPECT_THAT(LaunchOf(same, "v1_7")["remarks"].get<std::string>(), HasSubstr("the machine, not the code"));
  EXPECT_THAT(same["check"]["causes"], IsEmpty());
  EXPECT_EQ(LaunchOf(same, "v1_7")["decomposed"], "no");
  for (const char* format : {"text", "md"}) {
    const Result people = Check(runs, {"--format", format});
    EXPECT_THAT(Flat(people.out), HasSubstr("noise, the clock or the machine, not the code"));
    EXPECT_THAT(people.out, Not(HasSubstr("local_memory_array")));
    EXPECT_THAT(people.out, Not(HasSubstr("Causes of the slow-downs")));
  }
  v1_7.launch.grid_x *= 2;
  EXPECT_THAT(Flat(Check(runs).out), HasSubstr("its grid, block or dynamic shared memory is not"));
  EXPECT_THAT(Check(runs).out, HasSubstr("local_memory_array"));
  v1_7.cubin_digest.clear();
  const Json launch = LaunchOf(AsJson(Check(runs, {"--json"})), "v1_7");
  EXPECT_EQ(launch["code"], "unknown");
  EXPECT_EQ(launch["remarks"], "");
}

TEST(CheckCommand, CallsUnchangedCodeARegressionOnlyWhenItsCyclesRoseToo) {
  GateRuns runs;
  SetTimes(runs.At("v1_7"), 705 * 1.05);
  EXPECT_EQ(Check(runs).status, 1);
  for (Sample& sample : runs.At("v1_7").samples) sample.clock_mhz.reset();
  const Result unknown = Check(runs);
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(Flat(unknown.out), HasSubstr("its clock is not known"));
  runs.At("v1_7").cubin_digest = "18";
  EXPECT_EQ(Check(runs).status, 1);
  // Slower in both, but by more than the limit in the time alone.
  runs.At("v1_7").cubin_digest = "17";
  SetTimes(runs.At("v1_7"), 705 * 1.05, 1980 * 0.998);
  const Result clocked = Check(runs, {"--max-slowdown", "4.9%"});
  EXPECT_EQ(clocked.status, 3) << clocked.out;
  EXPECT_THAT(Flat(clocked.out), HasSubstr("record both runs again"));
}

TEST(CheckCommand, SaysOnceWhatSeveralLaunchesHaveInCommon) {
  GateRuns runs;
  for (KernelRecord& kernel : runs.candidate) {
    kernel.cubin_digest = "1";
    SetTimes(kernel, 2000);
  }
  for (KernelRecord& kernel : runs.base) kernel.cubin_digest = "1";
  for (int n = 0; n < 2; ++n)
    for (auto* kernels : {&runs.base, &runs.candidate}) {
      KernelRecord more = kernels->back();
      more.stage.id = more.launch.stage = "more_" + std::to_string(n);
      kernels->push_back(std::move(more));
    }
  const std::string text = Flat(Check(runs).out);
  EXPECT_THAT(text, HasSubstr("4 launches (v1_7 at 2048x2048x2048, v1_6 at "));
  EXPECT_THAT(text, HasSubstr(" and 1 more): Its code and its launch are the same in both runs"));
  EXPECT_EQ(text.find("Its code and its launch"), text.rfind("Its code and its launch"));
}

TEST(CheckCommand, DoesNotPassResultsThatAreBeyondTheirBound) {
  GateRuns wrong;
  wrong.At("v1_6").launch.verify_error_over_bound = 3;
  const Result result = Check(wrong);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(Flat(result.out), HasSubstr("wrong in the candidate run: their error is 3 times its bound"));
  wrong.base[2].launch.verify_error_over_bound = 3;
  EXPECT_EQ(Check(wrong).status, 2);
  GateRuns mended;
  mended.base[2].launch.verify_error_over_bound = 3;
  const Result fine = Check(mended, {"--json"});
  EXPECT_EQ(fine.status, 0);
  EXPECT_EQ(LaunchOf(AsJson(fine), "v1_6")["judgement"], "not compared");
}

TEST(CheckCommand, ShowsTheWarningsOfBothRunsAndOfTheLaunchesThatMatter) {
  GateRuns runs;
  SetTimes(runs.At("v1_7"), 705 * 1.5);
  const testing::TemporaryFolder folder;
  runs.Write(folder / "m.db");
  {
    Database database = Database::OpenForRecording(folder / "m.db");
    const RunId base = database.FindRun({.run = "main"}).id, candidate = database.FindRun({.run = "change"}).id;
    database.StoreWarning(base, std::nullopt, {"clocks_free", "the clocks moved freely."});
    database.StoreWarning(candidate, std::nullopt, {"second_profiler", "another profiler was attached."});
    for (const RunId run : {base, candidate}) {
      database.StoreWarning(run, std::nullopt, {"dirty", "the tree was dirty."});
      for (const LaunchId launch : database.Launches(run, "")) {
        const std::string stage = database.LoadKernel(launch).stage.id;
        database.StoreWarning(run, launch, {"low_clock_" + stage, "one sample ran slow."});
      }
      database.FinishRun(run);
    }
  }
  const std::string text = Flat(Check(folder / "m.db").out);
  EXPECT_THAT(text, HasSubstr("base run: clocks_free: the clocks moved freely."));
  EXPECT_THAT(text, HasSubstr("candidate run: second_profiler: another profiler was attached."));
  EXPECT_THAT(text, HasSubstr("both runs: dirty: the tree was dirty."));
  EXPECT_THAT(text, HasSubstr("low_clock_v1_7: v1_7 at 2048x2048x2048: one sample ran slow."));
  EXPECT_THAT(text, Not(HasSubstr("low_clock_v1_6")));
}

TEST(CheckCommand, CannotJudgeALaunchThatIsMissing) {
  GateRuns runs;
  std::erase_if(runs.candidate, [](const KernelRecord& k) { return k.stage.id == "v1_6"; });
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "");  // the report says it
  EXPECT_THAT(result.out, StartsWith("Not judged: 1 of 3 launches could not be judged\n"));
  EXPECT_THAT(result.out, HasSubstr("The candidate run did not launch it."));
  // Left out on purpose, by the user's word.
  EXPECT_EQ(Check(runs, {"--stages", "v1_7,cublas*"}).status, 0);
}

TEST(CheckCommand, CannotJudgeWhatTheCandidateRunFailedOrRefused) {
  for (const LaunchState state : {LaunchState::kFailed, LaunchState::kRefused}) {
    GateRuns runs;
    runs.At("v1_6").launch.state = state;
    runs.At("v1_6").launch.message = "element 7 is wrong.";
    const Result result = Check(runs);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.out, HasSubstr("element 7 is wrong."));
  }
}

TEST(CheckCommand, CannotJudgeWhatWasNotTimed) {
  GateRuns runs;
  runs.At("v1_6").samples.clear();
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, HasSubstr("It was not timed in the candidate run."));
}

TEST(CheckCommand, CannotJudgeResultsThatAreNoLongerVerified) {
  GateRuns runs;
  runs.At("v1_6").launch.verify_error_over_bound.reset();
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(Flat(result.out), HasSubstr("verified in the base run and not in the candidate run"));
}

TEST(CheckCommand, CannotJudgeTooFewSamples) {
  GateRuns runs;
  runs.At("v1_6").samples.resize(2);
  const Json json = AsJson(Check(runs, {"--json"}));
  EXPECT_EQ(json["check"]["exit_status"], 3);
  EXPECT_EQ(json["check"]["outcome"], "inconclusive");
  EXPECT_EQ(LaunchOf(json, "v1_6")["verdict"], "ambiguous");
  EXPECT_TRUE(LaunchOf(json, "v1_6")["change_pct"].is_null());
}

TEST(CheckCommand, CannotJudgeATimeThatTheClockAloneMoved) {
  GateRuns runs;
  SetTimes(runs.At("v1_6"), 1287 * 1.2, 1980 / 1.2);
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.out, HasSubstr("clock"));
  EXPECT_EQ(LaunchOf(AsJson(Check(runs, {"--json"})), "v1_6")["judgement"], "inconclusive");
}

TEST(CheckCommand, CannotJudgeCyclesThatAFasterClockHid) {
  GateRuns runs;
  SetTimes(runs.At("v1_6"), 1287, 1980 * 1.2);
  EXPECT_EQ(Check(runs).status, 3);
}

TEST(CheckCommand, PutsARegressionBeforeWhatItCouldNotJudge) {
  GateRuns runs;
  SetTimes(runs.At("v1_7"), 705 * 1.5);
  runs.At("v1_6").samples.clear();
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out,
              StartsWith("Regression: 1 of 3 launches is slower by more than 2 %, 1 could not be judged\n"));
}

TEST(CheckCommand, NamesWhatTheBaseRunSaysNothingAbout) {
  GateRuns runs;
  std::erase_if(runs.base, [](const KernelRecord& k) { return k.stage.id == "v1_6"; });
  runs.base[1].launch.state = LaunchState::kFailed;
  runs.base[1].launch.message = "element 9 was wrong.";
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("Not compared\n"));
  EXPECT_THAT(result.out, HasSubstr("New in the candidate run."));
  EXPECT_THAT(result.out, HasSubstr("element 9 was wrong."));
  EXPECT_THAT(result.out, StartsWith("Fine: 1 launch compared, 0 slower"));
}

TEST(CheckCommand, DoesNotPassANewLaunchThatFails) {
  GateRuns runs;
  std::erase_if(runs.base, [](const KernelRecord& k) { return k.stage.id == "v1_6"; });
  runs.At("v1_6").launch.state = LaunchState::kFailed;
  EXPECT_EQ(Check(runs).status, 2);
}

TEST(CheckCommand, DoesNotPassWhatFailsInBothRuns) {
  GateRuns runs;
  for (auto* kernels : {&runs.base, &runs.candidate}) (*kernels)[2].launch.state = LaunchState::kFailed;
  EXPECT_EQ(Check(runs).status, 2);
}

TEST(CheckCommand, CannotJudgeRunsThatHaveNothingInCommon) {
  GateRuns runs;
  runs.base.resize(1);
  runs.candidate.erase(runs.candidate.begin());
  runs.base[0].launch.state = LaunchState::kRefused;
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, StartsWith("Not judged: the two runs have nothing that can be compared\n"));
}

TEST(CheckCommand, CannotCompareDifferentGpusOrCacheStates) {
  GateRuns other;
  other.candidate_run.device->name = "Invented GPU A10";
  other.candidate_run.device->sm_count = 72;
  const Result gpu = Check(other);
  EXPECT_EQ(gpu.status, 2);
  EXPECT_THAT(
      Flat(gpu.out),
      HasSubstr("The base run was recorded on Invented GPU H100 and the candidate run on Invented GPU A10 (what "
                "differs: SMs 132 -> 72). Record both on one GPU, or compare them nevertheless with "
                "--other-gpu."));
  EXPECT_EQ(Check(other, {"--other-gpu"}).status, 0);
  EXPECT_THAT(Flat(Check(other, {"--other-gpu"}).out), HasSubstr("A difference may come from the GPU."));
  GateRuns cold;
  cold.candidate_run.l2 = "flush";
  const Result l2 = Check(cold, {"--json"});
  EXPECT_EQ(l2.status, 2);
  EXPECT_THAT(AsJson(l2)["check"]["not_comparable"].get<std::string>(), HasSubstr("--l2"));
  GateRuns without;
  without.candidate_run.device.reset();
  EXPECT_EQ(Check(without).status, 2);
}

TEST(CheckCommand, CannotCompareTwoCardsOfOneModel) {
  GateRuns runs;
  runs.base_run.gpu_uuids = "GPU-0123456789abcdef";
  EXPECT_EQ(Check(runs).status, 0) << "a run from before schema 19 does not know its GPU";
  runs.candidate_run.gpu_uuids = "GPU-fedcba9876543210";
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(Flat(result.out), HasSubstr("Invented GPU H100, GPU-01234567 and the candidate run on Invented GPU H100, "
                                          "GPU-fedcba98 (two GPUs of one model with the same driver)"));
  runs.candidate_run.toolchain.driver = "1.2.3";
  EXPECT_THAT(Flat(Check(runs).out), HasSubstr("-> 1.2.3"));
  EXPECT_EQ(Check(runs, {"--other-gpu"}).status, 0);
  EXPECT_EQ(Check(runs, {"--base", "newest", "--cand", "change"}).status, 2) << "newest looks for the same card";
  runs.candidate_run.gpu_uuids = runs.base_run.gpu_uuids;
  EXPECT_EQ(Check(runs).status, 0);
}

// --- the whole run ---

// One process per side, slower by `slowdown`.
GateRuns SlowerInOneProcess(double slowdown) {
  GateRuns runs;
  SetTimes(runs.At("v1_7"), 705 * (1 + slowdown));
  runs.At("v1_7").cubin_digest = "18";
  for (auto* kernels : {&runs.base, &runs.candidate})
    for (KernelRecord& kernel : *kernels) testing::InOneProcess(kernel);
  return runs;
}

TEST(CheckCommand, OneProcessPerSideMakesNoRegression) {
  const GateRuns runs = SlowerInOneProcess(0.5);
  const Result text = Check(runs);
  EXPECT_EQ(text.status, 3);
  EXPECT_THAT(text.out, StartsWith("Inconclusive: 1 of 3 launches is suspected to be slower by more than 2 %\n"));
  EXPECT_THAT(Flat(text.out), HasSubstr("confirm it with 'culprit versus OLD NEW', or record both with --processes 8"));
  const Json launch = LaunchOf(AsJson(Check(runs, {"--json"})), "v1_7");
  EXPECT_EQ(launch["judgement"], "suspect");
  EXPECT_EQ(launch["verdict"], "slower");
  EXPECT_THAT(Check(runs, {"--format", "github"}).out, AllOf(StartsWith("::warning title=culprit check::Inconclusive"),
                                                             HasSubstr("v1_7 at 2048x2048x2048 may be slower")));
  const Json sarif = Json::parse(Check(runs, {"--format", "sarif"}).out)["runs"][0];
  EXPECT_EQ(sarif["results"][0]["ruleId"], "kernel-suspect");
  EXPECT_EQ(sarif["tool"]["driver"]["rules"][sarif["results"][0]["ruleIndex"].get<int>()]["id"], "kernel-suspect");
  EXPECT_EQ(sarif["invocations"][0]["exitCode"], 3);
  EXPECT_THAT(Check(runs, {"--format", "junit"}).out, HasSubstr("type=\"suspect\""));
}

TEST(CheckCommand, ASlowDownWithinTheNoiseBetweenRunsIsNoSuspect) {
  GateRuns runs = SlowerInOneProcess(0.025);
  // Cards of this model are known to differ by 2.7 % from run to run.
  runs.base_run.device->name = runs.candidate_run.device->name = "NVIDIA H200";
  const Json launch = LaunchOf(AsJson(Check(runs, {"--json"})), "v1_7");
  EXPECT_EQ(launch["judgement"], "same") << launch;
  EXPECT_THAT(launch["why"].get<std::string>(), HasSubstr("is within the noise between two runs"));
  EXPECT_GT(launch["not_excluded_pct"], 5);
  EXPECT_EQ(Check(runs).status, 0);
  EXPECT_EQ(Check(runs, {"--strict"}).status, 3);
  GateRuns more = SlowerInOneProcess(0.08);
  more.base_run.device->name = more.candidate_run.device->name = "NVIDIA H200";
  EXPECT_EQ(Check(more).status, 3);
  EXPECT_EQ(LaunchOf(AsJson(Check(more, {"--json"})), "v1_7")["judgement"], "suspect");
}

TEST(CheckCommand, StrictPassesOnlyWhatIsExcluded) {
  GateRuns runs;
  EXPECT_EQ(Check(runs, {"--strict"}).status, 0);
  SetTimes(runs.At("v1_7"), 705 * 1.015);
  EXPECT_EQ(Check(runs).status, 0);
  EXPECT_EQ(Check(runs, {"--strict"}).status, 3);
  EXPECT_EQ(Check(runs, {"--strict", "--max-slowdown", "10%"}).status, 0);
}

// Other runs of unchanged code on the same card show how far runs lie apart.
TEST(CheckCommand, MeasuresTheNoiseBetweenRunsInTheDatabase) {
  const testing::TemporaryFolder folder;
  GateRuns runs = SlowerInOneProcess(0.08);
  const auto copies = [](std::vector<KernelRecord>& kernels, const KernelRecord& of, double spread) {
    for (int i = 0; i < 40; ++i) {
      KernelRecord kernel = of;
      kernel.stage.id = kernel.launch.stage = fmt::format("copy_{}", i);
      kernel.cubin_digest = "42";
      SetTimes(kernel, 500 * (1 + spread * (i % 5)));
      testing::InOneProcess(kernel);
      kernels.push_back(std::move(kernel));
    }
  };
  runs.base_run.gpu_uuids = runs.candidate_run.gpu_uuids = "GPU-0123456789abcdef";
  const KernelRecord one = runs.base[1];
  copies(runs.base, one, 0), copies(runs.candidate, one, 0);
  runs.Write(folder / "m.db");
  EXPECT_EQ(LaunchOf(AsJson(Check(folder / "m.db", {"--json"})), "v1_7")["judgement"], "suspect");
  // 40 x 3 pairs, of which four in five differ by 3 % or more in two runs, and v1_6.
  GateRuns third;
  third.candidate_run.uuid = "33333333-2222-4333-8444-555555555555";
  third.candidate_run.label = "before";
  third.candidate_run.gpu_uuids = runs.base_run.gpu_uuids;
  third.candidate.clear();
  copies(third.candidate, one, 0.03);
  third.base_run.uuid = "44444444-2222-4333-8444-555555555555";
  third.base_run.gpu_uuids = "GPU-another";
  third.base_run.label = "elsewhere";
  third.Write(folder / "m.db");
  const Json launch = LaunchOf(AsJson(Check(folder / "m.db", {"--json"})), "v1_7");
  EXPECT_EQ(launch["judgement"], "same") << launch;
  EXPECT_THAT(launch["why"].get<std::string>(), HasSubstr("(of this GPU: 121 pairs of recordings of the same code)"));
}

TEST(CheckCommand, SaysWhatElseDiffersBetweenTheRuns) {
  GateRuns runs;
  runs.candidate_run.toolchain.nvcc = "13.1.1";
  const Result result = Check(runs);
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("! nvcc: 13.0.88 in the base run, 13.1.1 in the candidate run."));
}

TEST(CheckCommand, RefusesBadInputInOneSentence) {
  const testing::TemporaryFolder folder;
  GateRuns().Write(folder / "m.db");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--max-slowdown", "x"}, "--max-slowdown takes a percentage from 0 on, such as 2%, not 'x'"},
      {{"--max-slowdown=-1%"}, "not '-1%'"},
      {{"--max-slowdown", "nan"}, "not 'nan'"},
      {{"--max-slowdown", "inf"}, "not 'inf'"},
      {{"--max-slowdown", "2%%"}, "not '2%%'"},
      {{"--max-slowdown", ""}, "not ''"},
      {{"--base", "main", "--cand", "main"}, "both name run 11111111"},
      {{"--base", "main", "--cand", "11111111"}, "both name run 11111111"},
      {{"--base", "main", "--cand", "nobody"}, "nobody"},
      {{"--base", "", "--cand", "main"}, "--base is empty"},
      {{"--base", "main"}, "--cand is required"},
      {{"--stages", "v1_8"}, "unknown kernel 'v1_8'"},
      {{"--stages", "v1_7,nothing*"}, "unknown kernel 'nothing*'"},
      {{"--shape", "77"}, "unknown shape '77'"},
  };
  for (const auto& [args, text] : cases) {
    const Result result = Check(folder / "m.db", args);
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_THAT(result.out, IsEmpty()) << text;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

// What takes these forms shows the file that they name.
TEST(CheckCommand, PointsNoToolToAFileOutsideOfTheProject) {
  for (const char* file : {"/etc/passwd", "../../secret", "kernels/../../secret"}) {
    GateRuns runs;
    SetTimes(runs.At("v1_7"), 705 * 1.05);
    runs.At("v1_7").cubin_digest = "18";
    runs.At("v1_7").stage.source_file = file;
    EXPECT_THAT(Check(runs, {"--format", "sarif"}).out, Not(HasSubstr("artifactLocation"))) << file;
    EXPECT_THAT(Check(runs, {"--format", "junit"}).out, Not(HasSubstr(std::string(" file=\"") + file))) << file;
    EXPECT_THAT(Check(runs, {"--format", "github"}).out, Not(HasSubstr("file="))) << file;
  }
}

TEST(CheckCommand, FoldsTheDetailsOfAPullRequestsSummary) {
  GateRuns runs;
  SetTimes(runs.At("v1_7"), 705 * 1.5);
  runs.At("v1_7").cubin_digest = "18";
  const Result result = Check(runs, {"--format", "md"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, StartsWith("# Regression: 1 of 3 launches"));
  EXPECT_THAT(result.out, HasSubstr("\n<details>\n<summary>All launches</summary>\n\n"));
  const auto folds = [&](const char* what) {
    std::size_t count = 0;
    for (std::size_t at = result.out.find(what); at != result.out.npos; at = result.out.find(what, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(folds("<details>"), 2u);
  EXPECT_EQ(folds("</details>"), 2u);
}

}  // namespace
}  // namespace culprit
