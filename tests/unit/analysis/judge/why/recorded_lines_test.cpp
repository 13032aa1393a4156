// SPDX-License-Identifier: Apache-2.0
// What the recorded samples of an H200 say, by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "analysis/judge/blame/lines.h"
#include "analysis/judge/causes/cause.h"
#include "analysis/judge/why/causes_on_lines.h"
#include "analysis/judge/why/sampled_pair.h"
#include "analysis/judge/why/why.h"
#include "analysis/show/render/report.h"
#include "analysis/show/report/line_difference_report.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RecordedLines : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<testing::TemporaryFolder>();
    database_.emplace(Database::OpenForRecording(*folder_ / "lines.db"));
    testing::ImportRecordings("lines", *database_);
  }
  static void TearDownTestSuite() {
    database_.reset();
    folder_.reset();
  }
  static KernelRecord Kernel(const std::string& stage) {
    const auto rows = database_->Query(
        "SELECT launch.id FROM launch JOIN stage ON stage.id = stage_id WHERE stage.key = '" + stage + "'");
    return database_->LoadKernel(std::get<std::int64_t>(rows.rows.at(0).at(0)));
  }

  static std::unique_ptr<testing::TemporaryFolder> folder_;
  static std::optional<Database> database_;
};
std::unique_ptr<testing::TemporaryFolder> RecordedLines::folder_;
std::optional<Database> RecordedLines::database_;

TEST_F(RecordedLines, V16IsSlowerByTheLocalAccessesOfItsAccumulation) {
  const KernelRecord base = Kernel("v1_7"), candidate = Kernel("v1_6");
  const auto differences = LoadSamples(*database_, base, candidate);
  ASSERT_TRUE(differences);
  const DifferentLine& first = differences->lines.lines.at(0);
  ASSERT_TRUE(first.base && first.candidate);
  EXPECT_EQ(first.candidate->frame, (SourceFrame{"kernels/sgemm/v_study.cuh", 114}));
  EXPECT_EQ(first.base->frame, (SourceFrame{"kernels/sgemm/v_study.cuh", 105})) << "the same work, in another nest";
  EXPECT_GT(first.DeltaUs(), 0.8 * differences->lines.DeltaUs());
  std::map<Operation, double> by_operation;
  for (const auto& [kind, us] : first.blamed_for) by_operation[kind.first] += us;
  EXPECT_GT(by_operation[Operation::kLocalLoad] + by_operation[Operation::kLocalStore], 0.5 * first.DeltaUs());
}

// `show --lines` of one kernel and `why --lines` of a pair have the same time of a line, beside what counters moved.
TEST_F(RecordedLines, OfAPairHaveBesideTheirOwnTheTimeThatTheyHaveAlone) {
  const KernelRecord base = Kernel("v1_7"), candidate = Kernel("v1_6");
  const auto sampled = LoadSamples(*database_, base, candidate);
  LineDifferences differences = sampled->lines;
  PutCausesOnLines(Why(Neighbours(*database_), base, candidate), differences);
  for (const bool of_base : {true, false}) {
    std::map<std::pair<std::string, int>, double> alone;
    for (const CostLine& line : LinesOf((of_base ? sampled->base : sampled->candidate)->costs))
      alone[{line.at.file, line.at.line}] += line.cost.blamed_us;
    for (const DifferentLine& line : differences.lines)
      if (const auto& place = of_base ? line.base : line.candidate; place && place->frame.line > 0) {
        const double us = of_base ? line.base_sampled_us : line.candidate_sampled_us;
        EXPECT_NEAR(us, (alone[{place->frame.file, place->frame.line}]), 1e-6) << place->frame.line;
      }
  }
  std::ostringstream out;
  RenderText(
      MakeLineDifferenceReport(
          base, candidate, Why(Neighbours(*database_), base, candidate), differences, {},
          {[](const SourceFrame&) { return SourceText(); }, [](const SourceFrame&) { return SourceText(); }}, false),
      out);
  EXPECT_THAT(out.str(), HasSubstr("By samples alone"));
  EXPECT_THAT(out.str(), HasSubstr("as culprit show --lines has it"));
}

TEST_F(RecordedLines, TheCauseNamesThatLineByItsSamples) {
  const Explanation explanation = Why(Neighbours(*database_), Kernel("v1_7"), Kernel("v1_6"));
  ASSERT_FALSE(explanation.causes.empty());
  const CausePart& first = explanation.causes[0];
  EXPECT_EQ(first.cause, "local_memory_array");
  ASSERT_FALSE(first.source.empty());
  EXPECT_EQ(first.source[0].file, "kernels/sgemm/v_study.cuh");
  EXPECT_EQ(first.source[0].line, 114);
  EXPECT_THAT(first.source[0].what, HasSubstr("local load"));
  EXPECT_GT(first.source[0].waited_us.value_or(0), 0.5 * first.delta_us);
}

TEST_F(RecordedLines, TheCauseNamesTheInstructionsOfThatLine) {
  const Explanation explanation = Why(Neighbours(*database_), Kernel("v1_7"), Kernel("v1_6"));
  ASSERT_FALSE(explanation.causes.empty());
  const CauseSource& line = explanation.causes[0].source.at(0);
  ASSERT_EQ(line.instructions.size(), 3u);
  double named = 0;
  for (const CauseInstruction& i : line.instructions) {
    EXPECT_THAT(i.text, ::testing::AnyOf(::testing::StartsWith("LDL"), ::testing::StartsWith("STL")));
    named += i.samples;
  }
  EXPECT_LT(named, line.samples);
  // A sample is as many microseconds in both: 603.2 us of 1,312.9.
  const double all = static_cast<double>(database_->Sampling(Kernel("v1_6").id)->samples);
  EXPECT_NEAR(line.samples / all, 603.2 / 1312.9, 0.002);
}

// Warps of SMs that have none left wait at no line: counters say that they are fewer.
TEST_F(RecordedLines, WhatStandsOnNoLineIsARowOfItsOwn) {
  const KernelRecord base = Kernel("v1_7"), candidate = Kernel("v1_6");
  const auto sampled = LoadSamples(*database_, base, candidate);
  ASSERT_TRUE(sampled);
  const Explanation explanation = Why(Neighbours(*database_), base, candidate, sampled);
  const FindSourceText no_source = [](const SourceFrame&) { return SourceText(); };
  const auto report_of = [&](const LineDifferences& lines) {
    return MakeLineDifferenceReport(base, candidate, explanation, lines, {}, {no_source, no_source});
  };
  const auto answer = [&](const Report& report) {
    const auto line = std::ranges::find(report.context, "line", &Fact::key);
    return line == report.context.end() ? std::string() : std::get<std::string>(line->value);
  };
  LineDifferences lines = sampled->lines;
  PutCausesOnLines(explanation, lines);
  EXPECT_THAT(lines.on_no_line, ::testing::ElementsAre(::testing::Pair("imbalance_tail", ::testing::Gt(0.0))));
  std::ostringstream text;
  RenderText(report_of(lines), text);
  EXPECT_THAT(text.str(), HasSubstr("no line: SMs short of work"));
  EXPECT_THAT(answer(report_of(lines)), ::testing::StartsWith("kernels/sgemm/v_study.cuh:105 -> 114: +"));

  LineDifferences elsewhere = sampled->lines;
  PutCausesOnLines({{"occupancy_registers", 0.9 * elsewhere.DeltaUs()}}, elsewhere);
  EXPECT_THAT(answer(report_of(elsewhere)),
              ::testing::StartsWith("none has most of it: fewer resident warps: registers +"));
  EXPECT_THAT(answer(report_of(elsewhere)), HasSubstr("; of lines most kernels/sgemm/v_study.cuh:105 -> 114: +"));
}

// WMMA's loads of fragments stand beside the arithmetic of their addresses, and ldmatrix in a helper of its own.
TEST_F(RecordedLines, LoadsOfFragmentsAreTheLoadsOfFragmentsByOtherMeans) {
  const auto sampled = LoadSamples(*database_, Kernel("hgemm_wmma_padded"), Kernel("hgemm_mma_swizzle"));
  ASSERT_TRUE(sampled);
  std::map<int, int> becomes;
  for (const DifferentLine& line : sampled->lines.lines)
    if (line.base && line.candidate && line.base->frame.file == "kernels/hgemm/wmma_block.cuh")
      becomes[line.base->frame.line] = line.candidate->frame.line;
  EXPECT_EQ(becomes[40], 17) << "A: 9.9 % of the time, and 11.8 %";
  EXPECT_EQ(becomes[46], 26) << "B";
  EXPECT_EQ(becomes[49], 37) << "products";
}

// One recording of a kernel against another of it must blame nothing: shares of noise came to 13,159 %.
TEST_F(RecordedLines, OfTwoThatAreAsFastNoLineIsShownUnlessAskedFor) {
  const KernelRecord base = Kernel("v1_7");
  KernelRecord again = base;
  for (Sample& sample : again.samples) sample.time_us *= 1.0001;
  SampledPair sampled = *LoadSamples(*database_, base, again);
  for (DifferentLine& line : sampled.lines.lines) line.candidate_us *= 1.0001;
  const Explanation explanation = Why(Neighbours(*database_), base, again, sampled);
  ASSERT_EQ(explanation.verdict.speed, Speed::kSame);
  const auto text = [&](bool all) {
    std::ostringstream out;
    const FindSourceText none = [](const SourceFrame&) { return SourceText(); };
    RenderText(MakeLineDifferenceReport(base, again, explanation, sampled.lines, {}, {none, none}, all), out);
    return out.str();
  };
  EXPECT_THAT(text(false), Not(HasSubstr("v_study.cuh")));
  EXPECT_THAT(text(false), HasSubstr("There is nothing to explain"));
  EXPECT_THAT(text(true), HasSubstr("v_study.cuh"));
  EXPECT_THAT(text(true), HasSubstr("these parts are noise as well"));
  EXPECT_THAT(text(true), Not(HasSubstr("Share")));
}

TEST_F(RecordedLines, ThatTwoWereSampledAtOtherPeriodsIsSaid) {
  const KernelRecord base = Kernel("v1_7"), candidate = Kernel("v1_6");
  SampledPair sampled = *LoadSamples(*database_, base, candidate);
  EXPECT_EQ(sampled.base->period_cycles, database_->Sampling(base.id)->period_cycles);
  EXPECT_EQ(sampled.candidate->period_cycles, database_->Sampling(candidate.id)->period_cycles);
  const auto at = [](const SampledKernel& kernel, std::int64_t period_cycles) {
    auto same = std::make_shared<SampledKernel>(kernel);
    same->period_cycles = period_cycles;
    return same;
  };
  const auto caveats = [&] { return Why(Neighbours(*database_), base, candidate, sampled).caveats; };
  sampled.candidate = at(*sampled.candidate, 16384);
  sampled.base = at(*sampled.base, 16384);
  EXPECT_THAT(caveats(), Not(::testing::Contains(HasSubstr("was sampled every"))));
  sampled.base = at(*sampled.base, 2048);
  EXPECT_THAT(caveats(), Not(::testing::Contains(HasSubstr("was sampled every")))) << "long periods differ by little";
  sampled.base = at(*sampled.base, 256);
  EXPECT_THAT(caveats(), ::testing::Contains(HasSubstr("was sampled every 256 cycles, the candidate every 16,384")));
}

TEST_F(RecordedLines, LinesAddUpToTheDifferenceOfEveryPair) {
  const std::vector<std::string> stages = {
      "v0", "v1_6", "v1_6_4", "v1_7", "hgemm_mma", "sgemm_naive", "hgemm_mma_swizzle", "cublas_sgemm"};
  for (const std::string& base : stages)
    for (const std::string& candidate : stages) {
      const auto differences = LoadSamples(*database_, Kernel(base), Kernel(candidate));
      ASSERT_TRUE(differences) << base << " " << candidate;
      const double delta = *KernelView(Kernel(candidate)).Get("time_us") - *KernelView(Kernel(base)).Get("time_us");
      EXPECT_NEAR(differences->lines.DeltaUs(), delta, 1e-6 * (1 + std::abs(delta))) << base << " " << candidate;
      // And by counters too, which move parts of it and make none.
      LineDifferences lines = differences->lines;
      CauseMicroseconds causes;
      for (const auto& [cause, us] :
           PartsBeyondFloor(KernelView(Kernel(base)), KernelView(Kernel(candidate)), &*differences))
        causes[cause] = us;
      PutCausesOnLines(causes, lines);
      EXPECT_NEAR(lines.DeltaUs(), delta, 1e-6 * (1 + std::abs(delta))) << base << " " << candidate;
      for (const DifferentLine& line : lines.lines) {
        EXPECT_GT(line.base_us, -1e-6);
        EXPECT_GT(line.candidate_us, -1e-6);
      }
    }
}

// v0 is left out: its samples are up to 8 points off (docs/lines.md).
TEST_F(RecordedLines, SharesOfSamplesAreThoseOfTheStallCounters) {
  const Table rows = database_->Query(*FindNamedQuery("sampling_against_counters"));
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(rows.columns, name) - rows.columns.begin());
  };
  ASSERT_GT(rows.rows.size(), 100U);
  for (const auto& row : rows.rows) {
    const auto& stage = std::get<std::string>(row[column("stage")]);
    if (stage == "v0") continue;
    EXPECT_LT(std::abs(std::get<double>(row[column("difference")])), 0.012)
        << stage << " " << std::get<std::string>(row[column("reason")]);
  }
}

}  // namespace
}  // namespace culprit
