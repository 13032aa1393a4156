// SPDX-License-Identifier: Apache-2.0
// The sums of a study over explanations that the tests invent.
#include "analysis/gate/study.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <sstream>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/gain.h"
#include "analysis/number/format.h"
#include "analysis/show/report/study_report.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

std::string Name(int i) { return "s" + std::to_string(i); }

// Stages s0, s1, ... that take these microseconds, each changed from the one before.
StudyInput Chained(const std::vector<double>& times) {
  StudyInput input;
  for (std::size_t i = 0; i < times.size(); ++i) {
    KernelBuilder kernel(Name(static_cast<int>(i)));
    kernel.record.stage.parent = i > 0 ? Name(static_cast<int>(i) - 1) : "";
    kernel.record.stage.factors = {{"step", std::to_string(i)}};
    kernel.Time(times[i]);
    input.stages.push_back(kernel.record.stage);
    input.kernels.emplace(kernel.record.stage.id, kernel.record);
  }
  return input;
}

Study MakeChain(StudyInput input, std::vector<std::string> names, const Explainer& explain) {
  input.shapes[names.front()] = "2048x2048x2048";
  return MakeStudy(input, Chain(input.stages, names), explain);
}

// 0.6 of each difference is "first", -0.1 "second", the rest unexplained.
Explanation Explained(const KernelView& base, const KernelView& candidate) {
  Explanation e;
  e.base_us = base.Get("time_us");
  e.candidate_us = candidate.Get("time_us");
  e.verdict.speed = e.DeltaUs() < 0 ? Speed::kFaster : Speed::kSlower;
  e.decomposition.emplace();
  e.causes = {{"first", 0.6 * e.DeltaUs(), 0.6, {}, {}, "", {}, {}, {}, {}},
              {"second", -0.1 * e.DeltaUs(), -0.1, {}, {}, "", {}, {}, {}, {}}};
  e.unexplained_us = 0.5 * e.DeltaUs();
  return e;
}

double Sum(const ChainTotal& total) {
  double sum = total.unexplained_us + total.without_counters_us + total.no_difference_us;
  for (const ChainPart& part : total.parts) sum += part.delta_us;
  return sum;
}

// A kernel that issues and waits for global memory, with few warps.
KernelBuilder Waiting(const std::string& name, double waits_us) {
  return testing::Spending(name, {{"selected", 40}, {"long_scoreboard", waits_us}})
      .Metric("achieved_occupancy_pct", 20)
      .Metric("global_load_sectors", 100)
      .Metric("global_load_requests", 25);
}

TEST(Study, AStepIsPredictedByWhatShowSaysOfTheStageBefore) {
  StudyInput input;
  for (const KernelBuilder& k : {Waiting("s0", 60), Waiting("s1", 5)}) {
    input.stages.push_back(k.record.stage);
    input.kernels.emplace(k.record.stage.id, k.record);
  }
  input.stages[1].parent = "s0";
  std::string cause = "exposed_latency";
  std::vector<std::pair<std::string, double>> small;
  const auto explain = [&](const KernelView& base, const KernelView& candidate) {
    Explanation e = Explained(base, candidate);
    e.causes.front().cause = cause;
    e.within_noise = small;
    return e;
  };
  const auto predicted = [&] { return MakeChain(input, {"s0", "s1"}, explain).stages.at(1).edge->predicted; };
  const KernelView base(input.kernels.at("s0"));
  ASSERT_TRUE(predicted());
  EXPECT_EQ(predicted()->cause, "exposed_latency");
  EXPECT_DOUBLE_EQ(predicted()->gain_us, EstimateGain(base, FindCause("exposed_latency")->gain)->gain_us);
  EXPECT_GT(predicted()->gain_us, 0);
  cause = "memory_fence";
  EXPECT_FALSE(predicted()) << "show says nothing of fences there";
  small = {{"barrier", -2}, {"exposed_latency", -1}};
  ASSERT_TRUE(predicted()) << "it went too, within noise";
  EXPECT_EQ(predicted()->cause, "exposed_latency") << "show says nothing of barriers there";
  small = {{"exposed_latency", 1}};
  EXPECT_FALSE(predicted()) << "it came";
  small.clear();
  cause = "exposed_latency";
  std::swap(input.kernels.at("s0").samples, input.kernels.at("s1").samples);
  EXPECT_FALSE(predicted()) << "the step is slower";
}

RC_GTEST_PROP(Study, SumsToTheWholeDifferenceWhateverTheStepsAre, ()) {
  const auto count = *rc::gen::inRange(2, 9);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(0.001 * *rc::gen::inRange(1000, 5000000));
  const std::vector<int> kinds =
      *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(count), rc::gen::inRange(0, 4));
  const auto explain = [&](const KernelView& base, const KernelView& candidate) {
    Explanation e = Explained(base, candidate);
    const int kind = kinds[static_cast<std::size_t>(std::stoi(candidate.record().stage.id.substr(1)))];
    if (kind == 0) return e;
    e.causes.clear();
    e.unexplained_us = e.DeltaUs();
    if (kind == 1) e.decomposition.reset();
    if (kind == 2) e.verdict.speed = Speed::kSame;
    if (kind == 3) e.verdict.speed = Speed::kAmbiguous;
    return e;
  };
  const Study study = MakeChain(Chained(times), {Name(0), Name(count - 1)}, explain);
  RC_ASSERT(study.total.has_value());
  RC_ASSERT(std::abs(study.total->DeltaUs() - (times.back() - times.front())) < 1e-6);
  RC_ASSERT(std::abs(Sum(*study.total) - study.total->DeltaUs()) < 1e-6);
}

TEST(Study, KeepsStepsWithoutCausesApart) {
  const auto explain = [](const KernelView& base, const KernelView& candidate) {
    Explanation e = Explained(base, candidate);
    if (candidate.record().stage.id == "s1") return e;
    e.causes.clear();
    e.unexplained_us = e.DeltaUs();
    if (candidate.record().stage.id == "s2") e.decomposition.reset();
    if (candidate.record().stage.id == "s3") e.verdict.speed = Speed::kSame;
    return e;
  };
  const Study study = MakeChain(Chained({100, 200, 350, 351}), {"s0", "s3"}, explain);
  ASSERT_TRUE(study.total);
  EXPECT_DOUBLE_EQ(study.total->without_counters_us, 150);
  EXPECT_DOUBLE_EQ(study.total->no_difference_us, 1);
  EXPECT_DOUBLE_EQ(study.total->unexplained_us, 50);
}

TEST(Study, SaysWhichStepPutMostIntoACause) {
  const Study study = MakeChain(Chained({100, 200, 180, 500}), {"s0", "s3"}, Explained);
  ASSERT_TRUE(study.total);
  ASSERT_EQ(study.total->parts.size(), 2u);
  const ChainPart& first = study.total->parts[0];
  EXPECT_EQ(first.cause, "first");
  EXPECT_DOUBLE_EQ(first.delta_us, 0.6 * 400);
  EXPECT_EQ(first.most_base + first.most_candidate, "s2s3");
  EXPECT_DOUBLE_EQ(first.most_us, 0.6 * 320);
  // It works against the change; most of it, too.
  EXPECT_EQ(study.total->parts[1].cause, "second");
  EXPECT_DOUBLE_EQ(study.total->parts[1].most_us, -0.1 * 320);
}

TEST(Study, BackwardsExplainsEachStepFromItsNewBase) {
  const Study study = MakeChain(Chained({100, 200, 500}), {"s2", "s0"}, Explained);
  ASSERT_TRUE(study.total);
  EXPECT_DOUBLE_EQ(study.total->DeltaUs(), -400);
  ASSERT_TRUE(study.stages[1].edge);
  const StudyEdge& edge = *study.stages[1].edge;
  EXPECT_EQ(edge.base, "s2");
  EXPECT_EQ(edge.explanation->verdict.speed, Speed::kFaster);
  ASSERT_EQ(edge.changes.size(), 1u);
  EXPECT_EQ(ToText(edge.changes[0]), "step: 2 => 1");
}

TEST(Study, NamesAStageWithoutATimeAndSumsNothing) {
  StudyInput input = Chained({100, 200, 300});
  input.kernels.at("s1").launch.state = LaunchState::kFailed;
  input.kernels.at("s1").launch.message = "element 3 is wrong.";
  const Study study = MakeChain(input, {"s0", "s2"}, Explained);
  EXPECT_FALSE(study.total);
  EXPECT_FALSE(study.stages[1].time_us);
  for (const int i : {1, 2}) {
    EXPECT_FALSE(study.stages[static_cast<std::size_t>(i)].edge->explanation);
    EXPECT_EQ(study.stages[static_cast<std::size_t>(i)].edge->not_measured, "s1 failed: element 3 is wrong.");
  }
  input.kernels.erase("s1");
  EXPECT_EQ(MakeChain(input, {"s0", "s2"}, Explained).stages[1].edge->not_measured, "s1 never launched at this shape");
}

TEST(Study, OfATreeHasNoSum) {
  const StudyInput input = Chained({100, 200, 300});
  StudyInput forest = input;
  for (StageRecord& stage : forest.stages) stage.family = "f";
  const Study study = MakeStudy(forest, FamilyTree(forest.stages, "f"), Explained);
  EXPECT_FALSE(study.total);
  EXPECT_EQ(study.stages.size(), 3u);
  EXPECT_FALSE(study.stages[0].edge);
}

TEST(Study, HasOneShapeOnlyWhenAllItsTreesDo) {
  StudyInput input = Chained({100, 200, 300, 400});
  for (StageRecord& stage : input.stages) stage.family = "f";
  input.stages[2].parent.clear();
  input.shapes = {{"s0", "64"}, {"s2", "128"}};
  const Study study = MakeStudy(input, FamilyTree(input.stages, "f"), Explained);
  EXPECT_EQ(study.shape, "");
  EXPECT_EQ(study.stages[1].shape, "64");
  EXPECT_EQ(study.stages[3].shape, "128");
  input.shapes["s2"] = "64";
  EXPECT_EQ(MakeStudy(input, FamilyTree(input.stages, "f"), Explained).shape, "64");
}

TEST(StudyShape, IsWhereMostStagesEndedWellAndSaysWhichLargerOneIsLeftOut) {
  const std::vector<std::string> shapes = {"4", "8", "2"};
  const ShapeChoice most = ChooseShape(shapes, {{"8", 2}, {"4", 3}, {"2", 3}}, 3, "s0");
  EXPECT_EQ(most.shape, "4");
  EXPECT_EQ(most.left_out,
            "8 is left out of the steps from s0: 2 of 3 kernels ended well there and 3 at 4; --shape 8 shows it.");
  const ShapeChoice largest = ChooseShape(shapes, {{"4", 3}, {"2", 3}}, 3, "s0");
  EXPECT_EQ(largest.shape, "4");
  EXPECT_EQ(largest.left_out, "");
  EXPECT_EQ(ChooseShape(shapes, {{"4", 3}, {"8", 3}}, 3, "s0").shape, "8");
  const std::vector<std::string> alike = {"8x8", "16x4"};
  EXPECT_EQ(ChooseShape(alike, {{"8x8", 3}, {"16x4", 3}}, 3, "s0").shape, "8x8");
  EXPECT_EQ(ChooseShape(shapes, {}, 3, "s0").shape, "");
}

// "Unexplained +5.0 us, of it within noise -20.0 us": a part that is larger than its whole.
TEST(StudyReport, SplitsTheUnexplainedIntoTwoPartsThatAddUp) {
  const Study study = MakeChain(Chained({100, 200}), {"s0", "s1"}, [](const auto& base, const auto& candidate) {
    Explanation e = Explained(base, candidate);  // 50 us of 100 us are unexplained
    e.within_noise = {{"clock", 80}, {"barrier", -10}};
    return e;
  });
  const Report report = MakeStudyReport(study, RunSummary{}, {}, {});
  std::ostringstream out;
  RenderText(report, out, {.width = 400});
  EXPECT_NE(out.str().find("Within noise"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("No cause"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("+50.0 us (50.0 %)  +70.0 us (70.0 %)  -20.0 us (-20.0 %)"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("Of it within noise"), std::string::npos);
}

TEST(StudyReport, BeginsWithTheWholeAndTheLargestStep) {
  const Study study = MakeChain(Chained({100, 200, 170}), {"s0", "s2"}, Explained);
  const Report report = MakeStudyReport(study, RunSummary{}, {}, {});
  ASSERT_EQ(report.answer.facts.size(), 4u);
  EXPECT_EQ(Format(report.answer.facts[0].value), "100.0 us -> 170.0 us, +70.0 us (+70.0 %)");
  EXPECT_EQ(Format(report.answer.facts[1].value), "2: 1 slower, 1 faster");
  EXPECT_EQ(Format(report.answer.facts[2].value), "s0 -> s1: 100.0 us -> 200.0 us, +100.0 us (+100.0 %)");
  EXPECT_EQ(Format(report.answer.facts[3].value), "first +60.0 us (60.0 %)");
}

}  // namespace
}  // namespace culprit
