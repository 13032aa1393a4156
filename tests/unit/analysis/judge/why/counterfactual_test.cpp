// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/counterfactual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/judge/causes/cause.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_study.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::InventedV16;
using testing::InventedV17;
using ::testing::IsEmpty;
using testing::KernelBuilder;

constexpr const char* kLoopNest = "loop nest";
constexpr const char* kPadding = "smem padding";
constexpr const char* kSums = "accumulator storage";

// Stages of one study: v1_7 (705 us), v1_6 (1287 us) and what the tests add.
KernelBuilder Stage(KernelBuilder like, const std::string& id, const std::string& factor, const std::string& value) {
  like.record.stage.id = like.record.launch.stage = id;
  like.record.stage.factors = {
      {kLoopNest, like.record.stage.factors.at(kLoopNest)}, {kPadding, "none"}, {kSums, "local"}};
  if (!factor.empty()) like.record.stage.factors.at(factor) = value;
  return like;
}

// Enough samples for an interval.
KernelBuilder Timed(KernelBuilder k, double time_us) {
  k.record.samples.assign(12, Sample{0, time_us, 1980, false});
  return k;
}

KernelBuilder Base() { return Timed(Stage(InventedV17(), "v1_7", "", ""), 705); }
KernelBuilder Candidate() { return Timed(Stage(InventedV16(), "v1_6", "", ""), 1287); }

struct Setting {
  KernelBuilder base = Base(), candidate = Candidate();
  Explanation explanation;

  Setting() {
    explanation.verdict.speed = Speed::kSlower;
    explanation.verdict.floor.change = 0.01;
    explanation.base_us = 705.0;
    explanation.candidate_us = 1287.0;
    explanation.unexplained_us = 82;
    CausePart local;
    local.cause = "local_memory_array";
    local.delta_us = 500;
    local.share = 500 / 582.0;
    explanation.causes = {local};
  }

  const Explanation& With(const std::vector<KernelBuilder>& near_base,
                          const std::vector<KernelBuilder>& near_candidate) {
    std::vector<KernelRecord> before, after;
    for (const KernelBuilder& k : near_base) before.push_back(k.record);
    for (const KernelBuilder& k : near_candidate) after.push_back(k.record);
    explanation.causes =
        CausesWithProofs(explanation, KernelView(base.record), KernelView(candidate.record), before, after);
    return explanation;
  }
  const CausePart* Find(std::string_view cause) const {
    for (const CausePart& part : explanation.causes)
      if (part.cause == cause) return &part;
    return nullptr;
  }
};

// v1_6 with the counters of v1_7, which has no local memory, at a time of its own.
KernelBuilder Cured(double time_us) {
  KernelBuilder k = Timed(Stage(InventedV17(), "cured", kSums, "shared"), time_us);
  k.record.stage.factors.at(kLoopNest) = Candidate().record.stage.factors.at(kLoopNest);
  return k;
}

KernelBuilder Padded(double time_us) { return Timed(Stage(InventedV16(), "padded", kPadding, "4 floats"), time_us); }

TEST(Counterfactual, ConfirmsTheCauseThatGaveWayWithTheShareThatCameBack) {
  Setting s;
  s.With({}, {Cured(937.8)});
  const CausePart& local = *s.Find("local_memory_array");
  ASSERT_EQ(local.confirmed_by.size(), 1u);
  EXPECT_EQ(local.confirmed_by[0].stage, "cured");
  EXPECT_EQ(local.confirmed_by[0].differs_from, "v1_6");
  EXPECT_EQ(local.confirmed_by[0].change, "accumulator storage: local => shared");
  EXPECT_NEAR(local.confirmed_by[0].recovers, (1287 - 937.8) / 582, 1e-9);
  EXPECT_EQ(local.confirmed_by[0].time_us, 937.8);
  EXPECT_EQ(local.confirmed_by[0].symptom_moved, true);
  EXPECT_THAT(local.refuted_by, IsEmpty());
}

// Of local_memory_array, with the interval; 349.2 us of 582 us come back, of all causes together.
Counterfactual ConfirmedWith(std::optional<Scatter> interval) {
  Setting s;
  s.explanation.causes[0].interval = interval;
  s.With({}, {Cured(937.8)});
  return s.Find("local_memory_array")->confirmed_by.at(0);
}

// One kernel with one number, 354.4 us, confirmed a cause of 581.7 us and another of 130.6 us.
TEST(Counterfactual, HoldsItsPartOfTheCauseAgainstTheCausesOwnInterval) {
  const Counterfactual confirms = ConfirmedWith(std::nullopt);
  EXPECT_NEAR(confirms.recovered_us, 1287 - 937.8, 1e-9);
  ASSERT_TRUE(confirms.part_us);
  const double part_us = *confirms.part_us;
  EXPECT_GT(std::abs(part_us - confirms.recovered_us), 20) << "else this test cannot tell the two apart";
  const auto proof_of = [](std::optional<Scatter> interval) { return ConfirmedWith(interval).proof; };
  EXPECT_EQ(proof_of(Scatter{part_us - 10, part_us + 10}), Proof::kConfirmed);
  EXPECT_EQ(proof_of(Scatter{part_us + 5, part_us + 100}), Proof::kPartly) << "less than it";
  EXPECT_EQ(proof_of(Scatter{part_us - 100, part_us - 5}), Proof::kPartly) << "more than it";
  EXPECT_EQ(proof_of(std::nullopt), Proof::kPartly) << "whether it lies inside is not known";
}

TEST(Counterfactual, ConfirmsAFasterStepByTheTimeThatItSaves) {
  Setting s;
  std::swap(s.base, s.candidate);
  s.explanation.verdict.speed = Speed::kFaster;
  std::swap(s.explanation.base_us, s.explanation.candidate_us);
  s.explanation.causes[0].delta_us = -500;
  const double part_us = ConfirmedWith(std::nullopt).part_us.value_or(0);
  s.explanation.causes[0].interval = Scatter{-part_us - 10, -part_us + 10};
  s.With({Cured(937.8)}, {});
  const Counterfactual& confirms = s.Find("local_memory_array")->confirmed_by.at(0);
  EXPECT_NEAR(confirms.recovered_us, 937.8 - 1287, 1e-9);
  EXPECT_EQ(confirms.proof, Proof::kConfirmed);
}

TEST(Counterfactual, TheFullConfirmationStandsBeforeALargerOneThatIsOutside) {
  Setting s;
  const double part_us = ConfirmedWith(std::nullopt).part_us.value_or(0);
  s.explanation.causes[0].interval = Scatter{part_us - 1, part_us + 1};
  KernelBuilder more = Cured(760);
  more.record.stage.id = "more";
  s.With({}, {more, Cured(937.8)});
  const auto& confirmed = s.Find("local_memory_array")->confirmed_by;
  ASSERT_EQ(confirmed.size(), 2u);
  EXPECT_EQ(confirmed[0].stage, "cured");
  EXPECT_EQ(confirmed[1].proof, Proof::kPartly);
}

TEST(Counterfactual, SaysThatAStepTakesSeveralCausesAlong) {
  Setting s;
  EXPECT_FALSE(ConfirmedWith(std::nullopt).of_several);
  CausePart tail;
  tail.cause = "instruction_count";
  tail.delta_us = 100;
  tail.share = 100 / 582.0;
  s.explanation.causes.push_back(tail);
  s.candidate.Metric("inst_executed", 200e6);
  KernelBuilder cured = Cured(937.8);
  cured.Metric("inst_executed", 100e6);
  s.base.Metric("inst_executed", 100e6);
  s.With({}, {cured});
  const auto& local = s.Find("local_memory_array")->confirmed_by;
  const auto& count = s.Find("instruction_count")->confirmed_by;
  ASSERT_EQ(local.size(), 1u);
  EXPECT_EQ(local[0].of_several, !count.empty());
}

TEST(Counterfactual, RefutesACauseWhoseMetricsWentBackWhileTheTimeDidNot) {
  Setting s;
  s.With({}, {Cured(1286)});
  const CausePart& local = *s.Find("local_memory_array");
  EXPECT_THAT(local.confirmed_by, IsEmpty());
  ASSERT_EQ(local.refuted_by.size(), 1u);
  EXPECT_NEAR(local.refuted_by[0].recovers, 1 / 582.0, 1e-9);
  EXPECT_EQ(local.refuted_by[0].symptom_moved, true);
  EXPECT_EQ(local.refuted_by[0].note, "");  // the local accesses were gone, so it proves something
  EXPECT_EQ(local.refuted_by[0].proof, Proof::kRefuted);
}

TEST(Counterfactual, ANegativeResultIsKeptForACauseThatHasNoPart) {
  Setting s;
  ASSERT_EQ(s.Find("shared_bank_conflicts"), nullptr);
  KernelBuilder padded = Padded(1288);
  padded.Metric("sass_shared_wavefronts", 60e6, "wavefront")
      .Metric("sass_shared_wavefronts_ideal", 54194304, "wavefront");
  s.With({}, {padded});
  const CausePart* conflicts = s.Find("shared_bank_conflicts");
  ASSERT_NE(conflicts, nullptr);
  EXPECT_EQ(conflicts->delta_us, 0);
  ASSERT_EQ(conflicts->refuted_by.size(), 1u);
  EXPECT_EQ(conflicts->refuted_by[0].symptom_moved, true);
  EXPECT_EQ(conflicts->refuted_by[0].note, "");
  // Its part may be there and below the noise.
  EXPECT_EQ(conflicts->text, "No part above the noise.");
  EXPECT_EQ(s.explanation.unexplained_us, 82);
}

TEST(Counterfactual, APaddingThatRemovedNoConflictIsInconclusiveAndSaysWhy) {
  Setting s;
  s.With({}, {Padded(1288)});  // with v1_6's own 35 M excess wavefronts
  const CausePart* conflicts = s.Find("shared_bank_conflicts");
  ASSERT_NE(conflicts, nullptr);
  EXPECT_EQ(conflicts->refuted_by.at(0).symptom_moved, false);
  EXPECT_EQ(conflicts->refuted_by.at(0).note,
            "its smem padding removed none of the wavefronts lost to bank conflicts (35 M in both)");
  EXPECT_EQ(conflicts->refuted_by.at(0).proof, Proof::kInconclusive);
}

TEST(Counterfactual, APaddingThatRemovedAFewConflictsIsNotSaidToHaveRemovedNone) {
  Setting s;
  KernelBuilder padded = Padded(1288);
  padded.Metric("sass_shared_wavefronts", 54194304 + 33e6, "wavefront")
      .Metric("sass_shared_wavefronts_ideal", 54194304, "wavefront");
  s.With({}, {padded});
  const Counterfactual& weak = s.Find("shared_bank_conflicts")->refuted_by.at(0);
  EXPECT_EQ(weak.symptom_moved, false);
  EXPECT_EQ(weak.note,
            "its smem padding removed less than a tenth of the wavefronts lost to bank conflicts (35 M -> 33 M)");
  EXPECT_EQ(weak.proof, Proof::kInconclusive);
}

// v1_6, in which only the unrolling differs, with so many instructions.
Setting WithUnrolled(double inst_executed) {
  Setting s;
  s.candidate.record.stage.factors["unroll"] = "no pragma";
  s.candidate.Metric("inst_executed", 100e6);
  KernelBuilder unrolled = Timed(s.candidate, 1288);
  unrolled.record.stage.id = "unrolled";
  unrolled.record.stage.factors["unroll"] = "pragma";
  unrolled.Metric("inst_executed", inst_executed);
  s.With({}, {unrolled});
  return s;
}

TEST(Counterfactual, AFactorThatTouchesMuchIsNoEvidenceWhereTheMetricStoodStill) {
  EXPECT_EQ(WithUnrolled(99e6).Find("instruction_count"), nullptr);
  const Setting s = WithUnrolled(70e6);
  ASSERT_NE(s.Find("instruction_count"), nullptr);
  EXPECT_EQ(s.Find("instruction_count")->refuted_by.at(0).symptom_moved, true);
}

TEST(Counterfactual, NoMetricIsNotTheSameAsAMetricThatStoodStill) {
  Setting s;
  s.candidate.record.stage.factors["global prefetch"] = "none";
  KernelBuilder ahead = Timed(s.candidate, 1288);
  ahead.record.stage.id = "ahead";
  ahead.record.stage.factors["global prefetch"] = "next tile in registers";
  s.With({}, {ahead});
  ASSERT_NE(s.Find("exposed_latency"), nullptr);
  EXPECT_EQ(s.Find("exposed_latency")->refuted_by.at(0).symptom_moved, std::nullopt);
  EXPECT_THAT(s.Find("exposed_latency")->refuted_by.at(0).note, HasSubstr("no metric"));
  EXPECT_EQ(s.Find("exposed_latency")->refuted_by.at(0).proof, Proof::kInconclusive);
}

TEST(Counterfactual, WhatWasNotCountedIsNotCalledUnchanged) {
  Setting s;
  KernelBuilder padded = Padded(1288);
  padded.Missing("sass_shared_wavefronts", ReadingStatus::kDenied);
  s.With({}, {padded});
  EXPECT_THAT(s.Find("shared_bank_conflicts")->refuted_by.at(0).note, HasSubstr("was not measured"));
  EXPECT_EQ(s.Find("shared_bank_conflicts")->refuted_by.at(0).symptom_moved, std::nullopt);
}

TEST(Counterfactual, NothingIsSaidOfACauseThatCouldNotBeJudged) {
  Setting s;
  s.explanation.not_judged = {{"shared_bank_conflicts", {"sass_shared_wavefronts"}}};
  s.With({}, {Padded(1288)});
  EXPECT_EQ(s.Find("shared_bank_conflicts"), nullptr);
}

TEST(Counterfactual, AStageThatDiffersInTwoFactorsProvesNothing) {
  Setting s;
  KernelBuilder both = Cured(800);
  both.record.stage.factors.at(kPadding) = "4 floats";
  s.With({}, {both});
  EXPECT_THAT(s.Find("local_memory_array")->confirmed_by, IsEmpty());
}

TEST(Counterfactual, AStageSlowerThanBothProvesNothing) {
  Setting s;
  s.With({}, {Padded(1800)});
  EXPECT_EQ(s.Find("shared_bank_conflicts"), nullptr);
}

TEST(Counterfactual, ADifferenceThatDrownsInNoiseCannotBeRefuted) {
  Setting s;
  s.explanation.verdict.floor.change = 0.2;
  s.With({}, {Padded(1288)});
  EXPECT_EQ(s.Find("shared_bank_conflicts"), nullptr);
}

TEST(Counterfactual, ADifferenceThatDrownsInScatterCannotBeRefuted) {
  Setting s;
  KernelBuilder padded = Padded(1288);
  for (std::size_t i = 0; i < padded.record.samples.size(); ++i)
    padded.record.samples[i].time_us = 1288 + 20 * (static_cast<double>(i) - 5.5);  // 110 us up and down, of 582
  s.With({}, {padded});
  EXPECT_EQ(s.Find("shared_bank_conflicts"), nullptr);
}

// Exchanging base and candidate exchanges who is near whom: the same stage says the same.
TEST(Counterfactual, ConfirmsFromTheSideOfTheBaseToo) {
  Setting s;
  std::swap(s.base, s.candidate);
  s.explanation.verdict.speed = Speed::kFaster;
  std::swap(s.explanation.base_us, s.explanation.candidate_us);
  s.explanation.causes[0].delta_us = -500;
  s.With({Cured(937.8)}, {});
  const CausePart& local = *s.Find("local_memory_array");
  ASSERT_EQ(local.confirmed_by.size(), 1u);
  EXPECT_EQ(local.confirmed_by[0].differs_from, "v1_6");
  EXPECT_NEAR(local.confirmed_by[0].recovers, (1287 - 937.8) / 582, 1e-9);
}

TEST(Counterfactual, WithoutADifferenceThereIsNothingToConfirm) {
  Setting s;
  s.explanation.verdict.speed = Speed::kSame;
  s.With({}, {Padded(1288), Cured(800)});
  EXPECT_EQ(s.explanation.causes.size(), 1u);
  EXPECT_THAT(s.explanation.causes[0].confirmed_by, IsEmpty());
}

TEST(FactorTopics, KnowWhichWayAChangeGoes) {
  const auto is = [](const char* cause) { return Field(&FactorTopic::cause, cause); };
  const FactorChange pad{"smem padding", "none", "4 floats"};
  EXPECT_THAT(CausesRemovedBy(pad), ElementsAre(is("shared_bank_conflicts")));
  EXPECT_THAT(CausesRemovedBy({"smem padding", "4 floats", "none"}), IsEmpty());
  EXPECT_THAT(CausesRemovedBy({"Accumulator storage", "local", "shared"}), ElementsAre(is("local_memory_array")));
  EXPECT_THAT(CausesRemovedBy({"favourite colour", "none", "blue"}), IsEmpty());
}

TEST(Symptom, DataThroughSharedMemoryIsCountedWithoutItsConflicts) {
  KernelBuilder k("k");
  k.Metric("sass_shared_wavefronts_ideal", 1e6, "wavefront")
      .Metric("sass_shared_wavefronts", 8e6, "wavefront")
      .Metric("shared_wavefronts", 8e6, "wavefront");
  EXPECT_EQ(KernelView(k.record).Get(FindCause("shared_traffic")->symptom.fact).value_or(0), 1e6);
}

// Factors of unrelated stages bear one name: "layout", "register limit".
TEST(Neighbours, AreStagesOfOneTreeAndFamilyAlone) {
  const testing::TemporaryFolder folder;
  Database database = Database::OpenForRecording(folder / "neighbours.db");
  const RunId run = database.BeginRun(KernelBuilder("any").record.run.run);
  const auto store = [&](const char* id, const char* family, const char* parent, const char* limit,
                         const char* padding) {
    KernelBuilder k(id);
    k.record.stage.family = family;
    k.record.stage.parent = parent;
    k.record.stage.factors = {{"register limit", limit}, {"padding", padding}};
    database.StoreStage(run, k.record.stage, {});
    return database.StoreLaunch(run, k.record.launch, k.record.samples);
  };
  const LaunchId base = store("jacobi", "planted", "", "128", "none");
  const LaunchId candidate = store("jacobi_64", "planted", "jacobi", "64", "none");
  store("jacobi_32", "planted", "jacobi", "32", "none");         // a sibling
  store("jacobi_padded", "planted", "jacobi_64", "64", "4");     // a child
  store("jacobi_padded_32", "planted", "jacobi_32", "32", "4");  // two factors away
  store("nbody", "planted", "", "40", "none");                   // another root
  store("nbody_48", "planted", "nbody", "48", "none");           // below it
  store("jacobi_elsewhere", "ladder", "jacobi", "96", "none");   // another family
  store("orphan", "planted", "", "16", "none");
  database.FinishRun(run);
  const KernelRecord from = database.LoadKernel(base), to = database.LoadKernel(candidate);
  std::vector<std::string> near;
  for (const KernelRecord& k : Neighbours(database).Load(to, from, to)) near.push_back(k.stage.id);
  EXPECT_THAT(near, ElementsAre("jacobi_32", "jacobi_padded"));
}

// "a" was changed from a stage that this run did not record, and so was "b".
TEST(Neighbours, ShareAParentThatWasNotRecorded) {
  const testing::TemporaryFolder folder;
  Database database = Database::OpenForRecording(folder / "neighbours.db");
  const RunId run = database.BeginRun(KernelBuilder("any").record.run.run);
  std::vector<LaunchId> launches;
  for (const char* id : {"a", "b", "c"}) {
    KernelBuilder k(id);
    k.record.stage.parent = "gone";
    k.record.stage.factors = {{"padding", id}};
    database.StoreStage(run, k.record.stage, {});
    launches.push_back(database.StoreLaunch(run, k.record.launch, k.record.samples));
  }
  database.FinishRun(run);
  const KernelRecord a = database.LoadKernel(launches[0]), b = database.LoadKernel(launches[1]);
  const std::vector<KernelRecord> near = Neighbours(database).Load(a, a, b);
  ASSERT_EQ(near.size(), 1u);
  EXPECT_EQ(near[0].stage.id, "c");
}

}  // namespace
}  // namespace culprit
