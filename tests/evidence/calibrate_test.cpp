// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/gain.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

Trial Invent(const std::string& with, const std::string& shape, double estimate, double real) {
  Trial t;
  t.run = "11111111";
  t.with = with;
  t.without = "fixed";
  t.shape = shape;
  t.cause = "shared_bank_conflicts";
  t.with_us = 100;
  t.without_us = 100 - real;
  t.estimate_us = estimate;
  t.leads = true;
  return t;
}

const CauseError& Only(const Calibration& calibration) {
  EXPECT_EQ(calibration.causes.size(), 1u);
  return calibration.causes.front();
}

TEST(Calibrate, CountsTheShapesOfAnEdgeAsOneExperiment) {
  const Calibration c =
      Calibrate({Invent("a", "1024", 20, 40), Invent("a", "2048", 40, 20), Invent("b", "1024", 60, 20)});
  const CauseError& error = Only(c);
  EXPECT_EQ(error.experiments, 2);
  EXPECT_EQ(error.trials, 3);
  // Edge a: the median of ln 0.5 and ln 2 is 0. Edge b: ln 3.
  EXPECT_NEAR(*error.median_ratio, std::sqrt(3), 1e-12);
  EXPECT_FALSE(error.error_factor) << "two edges do not say what is typical";
  EXPECT_NEAR(*error.worst_factor, 3, 1e-12);
  EXPECT_EQ(c.all.experiments, 2);
}

TEST(Calibrate, MeasuresErrorsOfEitherSideAlike) {
  const Calibration c = Calibrate({Invent("a", "1", 20, 40), Invent("b", "1", 40, 20), Invent("c", "1", 80, 20)});
  EXPECT_NEAR(*Only(c).median_ratio, 2, 1e-12);
  EXPECT_NEAR(*Only(c).error_factor, 2, 1e-12);
  EXPECT_NEAR(*Only(c).worst_factor, 4, 1e-12);
}

TEST(Calibrate, MakesNoRatioIfSomethingElseReplacedTheCause) {
  const Calibration c = Calibrate({Invent("a", "1", 20, -30)});
  EXPECT_EQ(Only(c).outweighed, 1);
  EXPECT_EQ(Only(c).experiments, 0);
  EXPECT_FALSE(Only(c).error_factor);
}

// The first three lead because culprit why agreed to them, so their error is smaller.
TEST(Calibrate, CountsEveryEdgeThatRemovedOnlyThisCause) {
  std::vector<Trial> trials = {Invent("a", "1", 20, 20), Invent("b", "1", 22, 20),  Invent("c", "1", 20, 22),
                               Invent("d", "1", 80, 20), Invent("e", "1", 20, -30), Invent("f", "1", 90, 10)};
  trials[2].also = {"barrier"};  // leads, because culprit why agrees, although another cause went too
  trials[3].leads = false;
  trials[5].leads = false;
  trials[5].also = {"barrier"};
  const Calibration c = Calibrate(trials);
  EXPECT_EQ(Only(c).experiments, 3);
  EXPECT_NEAR(*Only(c).error_factor, 1.1, 1e-12);
  EXPECT_NEAR(*Only(c).worst_factor, 1.1, 1e-12);
  // a: 1, b: 1.1, d: 4; e gained nothing, which counts as 1 us of 100: 20.
  EXPECT_EQ(Only(c).alone, 4);
  EXPECT_EQ(Only(c).alone_trials, 4);
  EXPECT_NEAR(*Only(c).alone_factor, std::sqrt(1.1 * 4), 1e-12);
  EXPECT_NEAR(*Only(c).alone_worst, 20, 1e-12);
  EXPECT_NEAR(*c.all.alone_factor, std::sqrt(1.1 * 4), 1e-12);
}

TEST(Calibrate, DoesNotCountAnEdgeThatAddsAnotherCauseAsARemoval) {
  std::vector<Trial> trials = {Invent("a", "1", 20, 20), Invent("b", "1", 80, 20)};
  trials[1].came = {"atomics"};
  EXPECT_EQ(Only(Calibrate(trials)).alone, 1);
}

TEST(Calibrate, CountsHowOftenABoundHolds) {
  std::vector<Trial> trials = {Invent("a", "1", 20, 10), Invent("b", "1", 20, 21.9), Invent("c", "1", 20, 22.1)};
  for (Trial& t : trials) t.cause = "sfu_pipe";
  const Calibration c = Calibrate(trials);
  EXPECT_EQ(c.bounds.alone, 3);
  EXPECT_EQ(c.bounds.alone_held, 2);
  EXPECT_EQ(c.estimates.alone, 0);
  EXPECT_FALSE(c.estimates.alone_factor);
}

TEST(Calibrate, HasNoTypicalFactorOfFewEdgesAlone) {
  EXPECT_FALSE(Only(Calibrate({Invent("a", "1", 20, 20), Invent("b", "1", 22, 20)})).alone_factor);
}

TEST(Calibrate, CountsAGainTooSmallToSeeAsAHundredth) {
  EXPECT_DOUBLE_EQ(Invent("a", "1", 20, 0.1).Ratio(), 20);
  EXPECT_DOUBLE_EQ(Invent("a", "1", 20, -0.5).Ratio(), 20);
  EXPECT_DOUBLE_EQ(Invent("a", "1", 0, 20).Ratio(), 0.05);
}

TEST(Calibrate, ComparesAnEstimateThatDoesNotLeadOnlyWithTheExplainedPart) {
  Trial t = Invent("a", "1", 20, 80);
  t.leads = false;
  t.attributed_us = 10;
  const Calibration c = Calibrate({t});
  EXPECT_EQ(Only(c).experiments, 0);
  EXPECT_EQ(Only(c).attributed, 1);
  EXPECT_NEAR(*Only(c).attributed_ratio, 2, 1e-12);
}

// 100 us of one warp per sub-partition, 80 of them waiting for shared memory with `conflicts` wavefronts of 1000 more
// than needed.
KernelRecord Conflicted(const std::string& stage, const std::string& parent, double us, double conflicts) {
  KernelBuilder k = testing::Quiet();
  k.record.stage.id = k.record.launch.stage = stage;
  k.record.stage.parent = parent;
  k.Time(us);
  k.Metric("smsp_cycles_active", 1000, "cycle").Metric("smsp_cycles_elapsed", 1000, "cycle");
  k.Metric("stall_selected", 200, "warp-cycle").Metric("stall_wait", 0, "warp-cycle");
  k.Metric("stall_short_scoreboard", 800, "warp-cycle").Metric("shared_load_inst", 1000);
  k.Metric("sass_shared_wavefronts", 1000 + conflicts, "wavefront").Metric("shared_wavefronts", 1000 + conflicts);
  k.Metric("sass_shared_wavefronts_ideal", 1000, "wavefront");
  return k.record;
}

std::vector<Trial> Between(KernelRecord parent, KernelRecord child) {
  const std::vector<StageRecord> stages = {parent.stage, child.stage};
  const RunSummary run = parent.run;
  std::vector<KernelRecord> kernels;
  kernels.push_back(std::move(parent));
  kernels.push_back(std::move(child));
  return TrialsOf(Recording(run, std::move(kernels)), stages);
}

TEST(Trials, TestAnEstimateIfTheChildRemovesTheCause) {
  const std::vector<Trial> trials = Between(Conflicted("plain", "", 100, 1000), Conflicted("padded", "plain", 70, 0));
  ASSERT_EQ(trials.size(), 1u);
  const Trial& t = trials.front();
  EXPECT_EQ(t.with, "plain");
  EXPECT_EQ(t.without, "padded");
  EXPECT_EQ(t.cause, "shared_bank_conflicts");
  // Half of 80 us of waiting is that of conflicts.
  EXPECT_NEAR(t.estimate_us, 40, 1e-9);
  EXPECT_NEAR(t.RealUs(), 30, 1e-9);
  EXPECT_NEAR(t.Ratio(), 4.0 / 3, 1e-9);
  EXPECT_TRUE(t.leads) << "nothing else went away";
}

TEST(Trials, UseTheParentAsFixedIfTheChildAddsTheCause) {
  const std::vector<Trial> trials = Between(Conflicted("plain", "", 70, 0), Conflicted("worse", "plain", 100, 1000));
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials.front().with, "worse");
  EXPECT_EQ(trials.front().without, "plain");
  EXPECT_NEAR(trials.front().RealUs(), 30, 1e-9);
}

TEST(Trials, AreEmptyIfTheCauseStayed) {
  EXPECT_TRUE(Between(Conflicted("plain", "", 100, 1000), Conflicted("same", "plain", 70, 600)).empty());
}

TEST(Trials, KeepThoseWhereTheFixedStageIsSlower) {
  const std::vector<Trial> trials = Between(Conflicted("plain", "", 100, 1000), Conflicted("padded", "plain", 130, 0));
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_TRUE(trials.front().IsOutweighed());
}

TEST(Trials, HoldTheShareThatWentAgainstItsShareOfTheEstimate) {
  const std::vector<Trial> trials = Between(Conflicted("plain", "", 100, 1000), Conflicted("less", "plain", 70, 250));
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_NEAR(trials.front().went, 0.75, 1e-12);
  EXPECT_NEAR(trials.front().estimate_us, 0.75 * 40, 1e-9);
}

TEST(Trials, DoNotLeadWhereACauseWithoutAnEstimateWentAway) {
  // Issue slots are 68 % full and every tenth instruction is an FFMA: too few to say what the others could be.
  KernelRecord with = Conflicted("plain", "", 100, 1000), without = Conflicted("padded", "plain", 20, 0);
  const auto set = [](KernelRecord& record, double all) {
    KernelBuilder k("");
    k.record = std::move(record);
    k.Metric("inst_executed", all).Metric("ffma_thread_inst", 32e5).Metric("issue_slot_pct", 68, "%");
    k.Metric("inst_issued", all).Metric("fp32_thread_inst", 32e5);
    record = std::move(k.record);
  };
  set(with, 1e6);
  set(without, 2e5);
  const std::vector<Trial> trials = Between(with, without);
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials.front().cause, "shared_bank_conflicts");
  ASSERT_EQ(trials.front().also, std::vector<std::string>{"instruction_count"});
}

TEST(CalibratedError, ThatShipsIsReadable) {
  EXPECT_EQ(FindCalibratedError("no such cause"), nullptr);
  for (const Cause& cause : Causes())
    if (const CalibratedError* error = FindCalibratedError(cause.id)) {
      EXPECT_EQ(error->error_factor.has_value(), error->experiments >= kLeastExperiments) << cause.id;
      EXPECT_GE(error->error_factor.value_or(1), 1) << cause.id;
      if (error->experiments > 0) {
        EXPECT_GE(error->worst_factor, error->error_factor.value_or(1)) << cause.id;
      }
      EXPECT_EQ(error->alone_factor.has_value(), error->alone >= kLeastExperiments) << cause.id;
      EXPECT_FALSE(error->runs.empty()) << cause.id;
    }
}

}  // namespace
}  // namespace culprit
