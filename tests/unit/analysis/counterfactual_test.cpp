// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/counterfactual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/why/factor_topics.h"
#include "tests/unit/analysis/invented_study.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
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
    explanation.verdict.outcome = Outcome::kSlower;
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
    AddCounterfactuals(KernelView(base.record), KernelView(candidate.record), before, after, explanation);
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
  EXPECT_THAT(local.refuted_by, IsEmpty());
}

TEST(Counterfactual, RefutesACauseWhoseMetricsWentBackWhileTheTimeDidNot) {
  Setting s;
  s.With({}, {Cured(1286)});
  const CausePart& local = *s.Find("local_memory_array");
  EXPECT_THAT(local.confirmed_by, IsEmpty());
  ASSERT_EQ(local.refuted_by.size(), 1u);
  EXPECT_NEAR(local.refuted_by[0].recovers, 1 / 582.0, 1e-9);
  EXPECT_EQ(local.refuted_by[0].note, "");  // the local accesses were gone, so it proves something
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
  EXPECT_EQ(conflicts->refuted_by[0].note, "");
  EXPECT_EQ(s.explanation.unexplained_us, 82);
}

TEST(Counterfactual, APaddingThatRemovedNoConflictProvesLittleAndSaysSo) {
  Setting s;
  s.With({}, {Padded(1288)});  // with v1_6's own 35 M excess wavefronts
  const CausePart* conflicts = s.Find("shared_bank_conflicts");
  ASSERT_NE(conflicts, nullptr);
  EXPECT_EQ(conflicts->refuted_by.at(0).note,
            "its smem padding removed none here: excess wavefronts 35 M -> 35 M, so it proves little");
}

TEST(Counterfactual, WhatWasNotCountedIsNotCalledUnchanged) {
  Setting s;
  KernelBuilder padded = Padded(1288);
  padded.Missing("sass_shared_wavefronts", ReadingStatus::kDenied);
  s.With({}, {padded});
  EXPECT_THAT(s.Find("shared_bank_conflicts")->refuted_by.at(0).note, HasSubstr("was not measured"));
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

// Exchanging base and candidate exchanges who is near whom: the same stage says the same.
TEST(Counterfactual, ConfirmsFromTheSideOfTheBaseToo) {
  Setting s;
  std::swap(s.base, s.candidate);
  s.explanation.verdict.outcome = Outcome::kFaster;
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
  s.explanation.verdict.outcome = Outcome::kSame;
  s.With({}, {Padded(1288), Cured(800)});
  EXPECT_EQ(s.explanation.causes.size(), 1u);
  EXPECT_THAT(s.explanation.causes[0].confirmed_by, IsEmpty());
}

TEST(FactorTopics, KnowWhichWayAChangeGoes) {
  const FactorChange pad{"smem padding", "none", "4 floats"};
  EXPECT_THAT(CausesRemovedBy(pad), ElementsAre("shared_bank_conflicts"));
  EXPECT_THAT(CausesAddedBy(pad), IsEmpty());
  EXPECT_THAT(CausesAddedBy({"smem padding", "4 floats", "none"}), ElementsAre("shared_bank_conflicts"));
  EXPECT_THAT(CausesRemovedBy({"Accumulator storage", "local", "shared"}), ElementsAre("local_memory_array"));
  EXPECT_THAT(CausesRemovedBy({"favourite colour", "none", "blue"}), IsEmpty());
}

}  // namespace
}  // namespace culprit
