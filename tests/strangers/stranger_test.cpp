// SPDX-License-Identifier: Apache-2.0
// The counting on invented recordings of the program's builds; and that the lines of the answers exist in the sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "analysis/judge/causes/cause.h"
#include "tests/planted/csv.h"
#include "tests/planted/planted_lines.h"
#include "tests/strangers/stranger_score.h"
#include "tests/support/invented_database.h"
#include "tests/support/small_run.h"

namespace culprit::testing {
namespace {

using ::testing::HasSubstr;
const std::filesystem::path kFolder = std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/strangers";
const std::filesystem::path kSecond = kFolder / "second";

// Where an answer stands in answers.csv's file.
int LineOf(const std::string& kernel, const std::string& change) {
  for (const auto& f : ReadCsv(kFolder / "answers.csv", 7)) {
    PlantedPlace place{f[1], f[3]};
    FindPlace(kFolder / "programs" / f[1], f[4], f[5], f[6], place);
    EXPECT_LT(place.last - place.first, 10) << f[0] << ": a statement, not a function";
    if (f[0] == kernel && f[2] == change) return place.first;
  }
  return 0;
}

class StrangerAnswers : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(StrangerAnswers, NameTwoCausesOfEachKernelOnLinesOfTheirOwn) {
  struct Line {
    std::string file;
    int first, last;
  };
  std::map<std::string, std::map<std::string, std::vector<Line>>> lines;
  std::map<std::string, std::map<std::string, std::string>> causes;
  for (const auto& f : ReadCsv(GetParam() / "answers.csv", 7)) {
    const auto [cause, is_first] = causes[f[0]].emplace(f[2], f[3]);
    EXPECT_EQ(cause->second, f[3]) << f[0] << " has two causes in one change";
    std::istringstream either(f[3]);
    for (std::string id; std::getline(either, id, '|');)
      EXPECT_TRUE(std::ranges::any_of(Causes(), [&](const Cause& c) { return c.id == id; })) << id;
    if (f[4] == "none") continue;
    PlantedPlace place{f[1], f[3]};
    FindPlace(GetParam() / "programs" / f[1], f[4], f[5], f[6], place);
    EXPECT_LT(place.last - place.first, 10) << f[0] << ": a statement, not a function";
    lines[f[0]][f[2]].push_back({f[1], place.first, place.last});
  }
  EXPECT_EQ(causes.size(), 8U);
  for (auto& [kernel, changes] : lines) {
    ASSERT_EQ(causes[kernel].size(), 2U) << kernel;
    for (const Line& a : changes["A"])
      for (const Line& b : changes["B"])
        EXPECT_TRUE(a.file != b.file || a.last < b.first || b.last < a.first) << kernel << " " << a.first;
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachProgram, StrangerAnswers, ::testing::Values(kFolder, kSecond));

// A build with a label, and a kernel with these numbers of samples by line.
void Record(Database& db, const std::string& label, double us, const std::map<int, std::int64_t>& samples,
            const std::string& kernel = "turn_and_total") {
  RunRecord run = ARun(label + "1111");
  run.label = label;
  const RunId id = db.BeginRun(run);
  const BuildRecord build = ABuild(kernel);
  db.StoreStage(id, AStage(kernel), {&build, 1});
  std::vector<Sample> times(40, Samples({us}).front());
  for (int i = 0; i < 40; ++i) times[static_cast<std::size_t>(i)].time_us *= 1 + 1e-4 * (i % 5);
  const LaunchId launch = db.StoreLaunch(id, ALaunch(kernel, 4096), times);
  SamplingRecord sampling;
  sampling.period_cycles = 16384;
  sampling.launches = 1;
  MachineCode& code = sampling.code.emplace_back(MachineCode{kernel, "00c0ffee" + label, {}});
  for (const auto& [line, count] : samples) {
    MachineInstruction& instruction = code.instructions.emplace_back();
    instruction.pc_offset = 16 * static_cast<std::int64_t>(code.instructions.size() - 1);
    instruction.frames = {{"/somewhere/turn.cu", line}};
    sampling.rows.push_back({kernel, instruction.pc_offset, "selected", count, 0});
    sampling.samples += count;
  }
  db.StoreSampling(launch, sampling);
}

TEST(StrangerScore, JudgesEachChangeBothAndTheBaseRecordedAgain) {
  const int a = LineOf("turn_and_total", "A"), b = LineOf("turn_and_total", "B");
  ASSERT_TRUE(a > 0 && b > 0);
  const TemporaryFolder scratch;
  Database db = Database::OpenForRecording(scratch / "s.db");
  Record(db, "base", 100, {{5, 60}, {a, 20}, {b, 20}});
  Record(db, "a", 150, {{5, 60}, {a, 70}, {b, 20}});
  Record(db, "b", 130, {{5, 80}, {a, 20}, {b, 30}});  // another line grew more
  Record(db, "ab", 190, {{5, 60}, {a, 70}, {b, 60}});
  Record(db, "again", 100, {{5, 20}, {a, 40}, {b, 40}});
  const std::vector<StrangerCase> cases = JudgeStrangers(db, kFolder);
  const auto of = [&](const std::string& base, const std::string& candidate) {
    const auto found =
        std::ranges::find_if(cases, [&](const StrangerCase& c) { return c.base == base && c.candidate == candidate; });
    EXPECT_NE(found, cases.end()) << base << " -> " << candidate;
    return found == cases.end() ? StrangerCase() : *found;
  };
  ASSERT_EQ(cases.size(), 5U);
  EXPECT_TRUE(of("base", "a").LinesRight());
  EXPECT_FALSE(of("base", "a").CausesRight()) << "nothing was counted";
  EXPECT_NEAR(of("base", "a").DeltaShare(), 0.5, 1e-6);
  EXPECT_FALSE(of("base", "b").LinesRight());
  EXPECT_EQ(of("base", "b").planted.at(0).line, 2);
  EXPECT_EQ(of("base", "ab").planted.size(), 2U);
  EXPECT_TRUE(of("base", "ab").LinesRight());
  EXPECT_TRUE(of("a", "ab").LinesRight());
  EXPECT_FALSE(of("base", "again").told_apart);
  EXPECT_TRUE(of("base", "again").planted.empty());
  const std::string report = StrangerReport(cases);
  EXPECT_THAT(report, HasSubstr("| base -> b | 1 | 0 | 0 | 0 |"));
  EXPECT_THAT(report, HasSubstr("| base -> ab | 1 | 1 | 1 | 0 |"));
  EXPECT_THAT(report, HasSubstr("Recorded again: 1; called different: 0."));
  EXPECT_THAT(report, ::testing::Not(HasSubstr("Written otherwise")));
}

TEST(StrangerScore, AcceptsATemplateAndAnEqualKernelWithOtherCode) {
  const TemporaryFolder scratch;
  Database db = Database::OpenForRecording(scratch / "s.db");
  const std::map<int, std::int64_t> samples = {{5, 100}};
  Record(db, "base", 100, samples, "norm_backward~01ab23");
  Record(db, "b", 200, samples, "norm_backward~01ab23");
  Record(db, "same", 130, samples, "norm_backward~45cd67");
  const std::vector<StrangerCase> cases = JudgeStrangers(db, kSecond);
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].kernel, "norm_backward");
  ASSERT_EQ(cases[0].planted.size(), 1U);
  EXPECT_EQ(cases[0].planted[0].cause, "occupancy_shared");
  EXPECT_FALSE(cases[0].OnLine()) << "fewer resident warps stand on no line";
  EXPECT_TRUE(cases[1].told_apart);
  const std::string report = StrangerReport(cases);
  EXPECT_THAT(report, HasSubstr("| base -> b | 1 | 0 of 0 | 0 of 0 | 0 |"));
  EXPECT_THAT(report, HasSubstr("Written otherwise: 1; called different: 1."));
  EXPECT_THAT(report, HasSubstr("| occupancy_shared: no line, 0 |"));
}

TEST(StrangerScore, AcceptsAnyOfSeveralRightCauses) {
  StrangerCase c{"price_paths", "base", "a", 100, 150, true, {{"fma_pipe|instruction_count", true, 1, 1, 1}}};
  EXPECT_TRUE(c.CausesRight());
  EXPECT_THAT(StrangerReport({&c, 1}), HasSubstr("| fma_pipe or instruction_count: 1 (1), 1 |"));
}

TEST(StrangerScore, CountsNoChangeThatMadeAKernelHardlySlower) {
  StrangerCase c{"turn_and_total", "base", "a", 100, 104, true, {{"atomics", true, 2, 2, 0}}};
  EXPECT_THAT(StrangerReport({&c, 1}), ::testing::Not(HasSubstr("| base -> a | 1 |")));
  c.candidate_us = 106;
  EXPECT_THAT(StrangerReport({&c, 1}), HasSubstr("| base -> a | 1 | 0 | 0 | 0 |"));
}

}  // namespace
}  // namespace culprit::testing
