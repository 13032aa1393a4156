// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/gain.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "analysis/judge/causes/findings.h"
#include "analysis/judge/causes/sharing.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using testing::KernelBuilder;
using testing::Quiet;

// 100 us, one warp per sub-partition that issues in every fifth cycle and otherwise waits for memory; no unit is busy.
KernelBuilder OneWarp() {
  KernelBuilder k = Quiet();
  k.Metric("smsp_cycles_active", 1000, "cycle").Metric("smsp_cycles_elapsed", 1000, "cycle");
  k.Metric("stall_selected", 200, "warp-cycle").Metric("stall_wait", 0, "warp-cycle");
  k.Metric("stall_long_scoreboard", 800, "warp-cycle");
  k.Metric("issue_slot_pct", 0, "%").Metric("l1_throughput_pct", 0, "%").Metric("l2_throughput_pct", 0, "%");
  return k;
}

Gain Estimate(const KernelBuilder& k, const Removal& removal) {
  const auto gain = EstimateGain(Sharing(KernelView(k.record)), removal);
  EXPECT_TRUE(gain);
  return gain.value_or(Gain{});
}

Removal Without(const std::string& reason, double share) {
  Removal r;
  r.waiting = {{reason, share}};
  return r;
}

TEST(IssueRate, IsExactForOneWarpAndForTwo) {
  EXPECT_DOUBLE_EQ(IssueRate(1, 4), 0.2);
  // The second finds the first at the slot for a fifth of the time: 2 / (4 + 1.2).
  EXPECT_DOUBLE_EQ(IssueRate(2, 4), 2 / 5.2);
  EXPECT_DOUBLE_EQ(IssueRate(0.5, 4), 0.1);
  EXPECT_DOUBLE_EQ(IssueRate(0, 4), 0);
}

RC_GTEST_PROP(IssueRate, StaysBelowTheSlotAndBelowWarpsOverLatency, ()) {
  const double warps = *rc::gen::inRange(1, 1600) / 100.0, waiting = *rc::gen::inRange(0, 100000) / 100.0;
  const double rate = IssueRate(warps, waiting);
  RC_ASSERT(rate > 0);
  RC_ASSERT(rate <= 1 + 1e-12);
  RC_ASSERT(rate <= warps / (waiting + 1) + 1e-12);
  RC_ASSERT(IssueRate(warps + 0.5, waiting) >= rate - 1e-12);
  RC_ASSERT(IssueRate(warps, waiting + 0.5) <= rate + 1e-12);
}

RC_GTEST_PROP(IssueRate, IsInvertedByTheWaitingAtIt, ()) {
  const double warps = *rc::gen::inRange(1, 1600) / 100.0, waiting = *rc::gen::inRange(0, 3000) / 100.0;
  const double rate = IssueRate(warps, waiting);
  RC_ASSERT(std::abs(IssueRate(warps, WaitingAt(warps, rate)) - rate) < 1e-9);
}

TEST(IssueRate, AboveWhatTheWarpsReachNeedsNoWaiting) { EXPECT_NEAR(WaitingAt(4, 1.5), 0, 1e-12); }

TEST(Gain, OfAllWaitingLeavesTheIssueSlots) {
  EXPECT_NEAR(Estimate(OneWarp(), Without("long_scoreboard", 1)).gain_us, 80, 1e-9);
}

TEST(Gain, OfHalfTheWaitingIsHalfOfItsTimeWhenOneWarpWaits) {
  EXPECT_NEAR(Estimate(OneWarp(), Without("long_scoreboard", 0.5)).gain_us, 40, 1e-9);
}

TEST(Gain, StopsAtTheUnitThatIsBusiestWithWhatIsLeft) {
  KernelBuilder k = OneWarp();
  k.Metric("l2_throughput_pct", 60, "%").Metric("fma_pipe_pct", 30, "%");
  const Gain gain = Estimate(k, Without("long_scoreboard", 1));
  EXPECT_NEAR(gain.gain_us, 40, 1e-9);
  EXPECT_EQ(gain.limit, "L2");
  Removal half_of_l2 = Without("long_scoreboard", 1);
  half_of_l2.l2 = 0.75;
  EXPECT_NEAR(Estimate(k, half_of_l2).gain_us, 70, 1e-9);
  EXPECT_EQ(Estimate(k, half_of_l2).limit, "the FMA pipe");
}

TEST(Gain, TakesBarrierTimeAlongInProportion) {
  KernelBuilder k = OneWarp();
  k.Metric("stall_long_scoreboard", 400, "warp-cycle").Metric("stall_barrier", 400, "warp-cycle");
  // 200 of 600 warp-cycles are left, so 400 / 3 at barriers: a third of the time.
  EXPECT_NEAR(Estimate(k, Without("long_scoreboard", 1)).gain_us, 100 - 100 / 3.0, 1e-9);
}

TEST(Gain, OfInstructionsTakesTheirSlotsAndWaits) {
  KernelBuilder k = OneWarp();
  k.Metric("stall_long_scoreboard", 0, "warp-cycle").Metric("stall_wait", 800, "warp-cycle");
  Removal r;
  r.instructions = 0.25;
  EXPECT_NEAR(Estimate(k, r).gain_us, 25, 1e-9);
}

TEST(Gain, OfMoreWarpsFollowsTheIssueRate) {
  Removal r;
  r.warps = 2;
  EXPECT_NEAR(Estimate(OneWarp(), r).gain_us, 100 - 100 * 0.2 / (2 / 5.2), 1e-9);
}

// 8 warps, half of their cycles in waiting for a pipe: they issue in 0.4 of the cycles. Without queueing for the slot
// it were 8 / 11, so they come in bursts.
TEST(Gain, OfTheWaitingThatMakesBurstsTakesTheBurstsAlong) {
  KernelBuilder k = OneWarp();
  k.Metric("warps_active", 8000, "warp-cycle").Metric("stall_selected", 400, "warp-cycle");
  k.Metric("stall_long_scoreboard", 0, "warp-cycle").Metric("stall_math_pipe_throttle", 4000, "warp-cycle");
  k.Metric("stall_not_selected", 3600, "warp-cycle");
  EXPECT_NEAR(Estimate(k, Without("math_pipe_throttle", 1)).gain_us, 60, 1e-6) << "the slots alone need 40 us";
  // What is left, 40 us at the rate of half of the waiting with which the model issues at 0.4.
  const double half = WaitingAt(8, 0.4) / 2;
  EXPECT_NEAR(Estimate(k, Without("math_pipe_throttle", 0.5)).gain_us, 100 - 40 / IssueRate(8, half), 1e-6);
}

TEST(Gain, IsStoppedByThePipesOfArithmeticAndOfLoads) {
  for (const auto& [metric, unit] : {std::pair{"fp64_pipe_pct", "the FP64 pipe"},
                                     {"xu_pipe_pct", "the XU pipe"},
                                     {"lsu_pipe_pct", "the load/store unit"}}) {
    const Gain gain = Estimate(OneWarp().Metric(metric, 60, "%"), Without("long_scoreboard", 1));
    EXPECT_NEAR(gain.gain_us, 40, 1e-9) << unit;
    EXPECT_EQ(gain.limit, unit);
  }
}

TEST(Gain, OfAPartScalesAllThatGoes) {
  Removal all = Without("long_scoreboard", 0.8);
  all.dram = 0.4;
  all.warps = 3;
  const Removal half = PartOf(all, 0.5);
  EXPECT_DOUBLE_EQ(half.waiting.at("long_scoreboard"), 0.4);
  EXPECT_DOUBLE_EQ(half.dram, 0.2);
  EXPECT_DOUBLE_EQ(half.warps, 2);
}

TEST(Gain, OfIdleSmsIsTheTimeWithoutAWarp) {
  KernelBuilder k = OneWarp();
  k.Metric("smsp_cycles_elapsed", 4000, "cycle");
  Removal r;
  r.idle_sms = 1;
  EXPECT_NEAR(Estimate(k, r).gain_us, 75, 1e-9);
}

TEST(Gain, IsUnknownWithoutTheCountersThatItRestsOn) {
  for (const char* id : {"warps_active", "smsp_cycles_active", "stall_selected"}) {
    KernelBuilder k = OneWarp();
    k.Missing(id, ReadingStatus::kDenied);
    EXPECT_FALSE(EstimateGain(Sharing(KernelView(k.record)), Without("long_scoreboard", 1))) << id;
  }
  KernelBuilder untimed = OneWarp();
  untimed.record.samples.clear();
  EXPECT_FALSE(EstimateGain(Sharing(KernelView(untimed.record)), Without("long_scoreboard", 1)));
}

Removal AnyRemoval() {
  const auto share = [] { return *rc::gen::inRange(0, 101) / 100.0; };
  Removal r;
  for (const char* reason : {"long_scoreboard", "short_scoreboard", "mio_throttle", "barrier", "wait"})
    r.waiting[reason] = share();
  r.instructions = share();
  r.shared = share();
  r.l1 = share();
  r.l2 = share();
  r.dram = share();
  r.warps = 1 + share();
  r.idle_sms = share();
  r.fp64 = share();
  r.xu = share();
  r.lsu = share();
  return r;
}

KernelBuilder AnyKernel() {
  KernelBuilder k = Quiet();
  double all = 0;
  for (const char* reason : {"selected", "not_selected", "long_scoreboard", "short_scoreboard", "mio_throttle",
                             "barrier", "wait", "lg_throttle"}) {
    const double cycles = *rc::gen::inRange(1, 1000);
    all += cycles;
    k.Metric(std::string("stall_") + reason, cycles, "warp-cycle");
  }
  k.Metric("warps_active", all, "warp-cycle");
  const double active = all / (*rc::gen::inRange(10, 1600) / 100.0);
  k.Metric("smsp_cycles_active", active, "cycle");
  k.Metric("smsp_cycles_elapsed", active * (1 + *rc::gen::inRange(0, 300) / 100.0), "cycle");
  for (const char* unit : {"issue_slot_pct", "l1_throughput_pct", "l2_throughput_pct", "fma_pipe_pct", "fp64_pipe_pct",
                           "xu_pipe_pct", "lsu_pipe_pct", "shared_wavefronts_pct"})
    k.Metric(unit, *rc::gen::inRange(0, 101), "%");
  return k;
}

RC_GTEST_PROP(Gain, LiesBetweenNothingAndTheWholeTime, ()) {
  const KernelBuilder k = AnyKernel();
  const auto gain = EstimateGain(Sharing(KernelView(k.record)), AnyRemoval());
  RC_ASSERT(gain.has_value());
  RC_ASSERT(gain->gain_us >= 0);
  RC_ASSERT(gain->gain_us <= 100);
}

RC_GTEST_PROP(Gain, GrowsWithWhatGoesAway, ()) {
  const KernelBuilder k = AnyKernel();
  const Removal less = AnyRemoval();
  Removal more = less;
  const auto further = [](double share) { return share + (1 - share) * *rc::gen::inRange(0, 101) / 100.0; };
  for (auto& [reason, share] : more.waiting) share = further(share);
  for (double Removal::*share : {&Removal::fp64, &Removal::xu, &Removal::lsu, &Removal::shared, &Removal::l1,
                                 &Removal::l2, &Removal::dram, &Removal::idle_sms})
    more.*share = further(more.*share);
  RC_ASSERT(EstimateGain(Sharing(KernelView(k.record)), more)->gain_us >=
            EstimateGain(Sharing(KernelView(k.record)), less)->gain_us - 1e-9);
}

RC_GTEST_PROP(Gain, IsNothingWhenNothingGoesAway, ()) {
  RC_ASSERT(EstimateGain(Sharing(KernelView(AnyKernel().record)), Removal{})->gain_us <= 1e-9);
}

}  // namespace
}  // namespace culprit
