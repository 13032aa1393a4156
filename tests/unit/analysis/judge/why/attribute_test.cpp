// SPDX-License-Identifier: Apache-2.0
// Causes that are no state's: occupancy, idle SMs, clock, launching; and waiting that is passed on to the causes of
// other waiting.
#include "analysis/judge/why/attribute.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <utility>

#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::AreUs;
using testing::Attributed;
using testing::KernelBuilder;
using testing::Spending;
using testing::SpreadOver;
using testing::Taking;

KernelBuilder Kernel() { return Spending("k", {{"selected", 40}, {"sleeping", 60}}); }

struct BlocksPerSm {
  double by_registers = 8, by_shared = 100, by_warps = 8, by_blocks = 32;
};

// 100 us; with half the warps, 200 us. Each keeps the warp-cycles of the whole.
KernelBuilder Resident(double occupancy, const BlocksPerSm& blocks, int block_threads = 256) {
  KernelBuilder k = Kernel();
  SpreadOver(k, 1 / occupancy);
  k.Attribute("theoretical_occupancy", occupancy, "model").Attribute("block_threads", block_threads, "model");
  k.Attribute("blocks_per_sm_by_registers", blocks.by_registers, "model");
  k.Attribute("blocks_per_sm_by_shared", blocks.by_shared, "model");
  k.Attribute("blocks_per_sm_by_warps", blocks.by_warps, "model");
  k.Attribute("blocks_per_sm_by_blocks", blocks.by_blocks, "model");
  return k;
}

TEST(Occupancy, BelongsToTheResourceThatLimitsTheOneWithFewerWarps) {
  const KernelBuilder full = Resident(1, {});
  EXPECT_THAT(Attributed(full, Resident(0.5, {.by_registers = 4})), AreUs({{"occupancy_registers", 100}}));
  EXPECT_THAT(Attributed(full, Resident(0.5, {.by_shared = 4})), AreUs({{"occupancy_shared", 100}}));
  // 32 blocks of 32 threads fill half of an SM's 2,048; registers would let 48 of them in.
  EXPECT_THAT(
      Attributed(full, Resident(0.5, {.by_registers = 48, .by_shared = 800, .by_warps = 64, .by_blocks = 32}, 32)),
      AreUs({{"occupancy_block", 100}}));
  // Two of 704: a third would be two warps too many. Their registers allow two as well, which allowed as much before.
  EXPECT_THAT(Attributed(full, Resident(0.6875, {.by_registers = 2, .by_shared = 36, .by_warps = 2}, 704)),
              AreUs({{"occupancy_block", 100 / 0.6875 - 100}}));
}

TEST(Occupancy, OfTwoLimitsThatTieIsThatWhichFell) {
  EXPECT_THAT(
      Attributed(Resident(1, {.by_registers = 8, .by_shared = 8}), Resident(0.5, {.by_registers = 4, .by_shared = 4})),
      AreUs({{"occupancy_registers", 100}}))
      << "the first of two that fell alike";
  EXPECT_THAT(
      Attributed(Resident(1, {.by_registers = 8, .by_shared = 16}), Resident(0.5, {.by_registers = 4, .by_shared = 4})),
      AreUs({{"occupancy_shared", 100}}));
  EXPECT_THAT(
      Attributed(Resident(1, {.by_registers = 16, .by_shared = 8}), Resident(0.5, {.by_registers = 4, .by_shared = 4})),
      AreUs({{"occupancy_registers", 100}}));
}

TEST(Occupancy, IsSilentWhereASmallGridLeavesFewerWarps) {
  KernelBuilder candidate = Resident(0.5, {.by_registers = 4});
  // 132 SMs hold 528 of these blocks: a grid of 256 does not come near the limit.
  candidate.record.launch.grid_x = candidate.record.launch.grid_y = 16;
  EXPECT_THAT(Attributed(Resident(1, {}), candidate), AreUs({{"imbalance_tail", 100}}));
}

TEST(Occupancy, IsSilentWhereTheTheoreticalOneIsTheSame) {
  KernelBuilder fewer = Kernel();
  EXPECT_THAT(Attributed(Kernel(), SpreadOver(fewer, 2)), AreUs({{"imbalance_tail", 100}}));
}

// With 64, 32 and 16 of its warps on an SM.
KernelBuilder& Swept(KernelBuilder& kernel, double half, double quarter) {
  for (const auto& [blocks, us] : {std::pair(8, 100.0), std::pair(4, 100 * half), std::pair(2, 100 * quarter)})
    kernel.record.interventions.push_back(
        {InterventionKind::kOccupancy, 1000.0 * (8 - blocks), blocks, 8 * blocks, us, us, us, {}, 5});
  return kernel;
}
KernelBuilder Half() { return Resident(0.5, {.by_registers = 4}).Attribute("theoretical_warps_per_sm", 32, "model"); }

// From 100 us to 200, all of it by the model.
TEST(Occupancy, IsWhatFewerWarpsWereMeasuredToCost) {
  const double mean = 100 / std::log(2);
  for (const double slowdown : {1.25, 1.75}) {
    KernelBuilder full = Resident(1, {});
    const double us = mean * std::log(slowdown);
    EXPECT_THAT(Attributed(Swept(full, slowdown, 4), Half()),
                AreUs({{"occupancy_registers", us}, {"unexplained", 100 - us}}));
  }
}

TEST(Occupancy, IsNothingWhereFewerWarpsCostNothing) {
  KernelBuilder full = Resident(1, {}), faster = Resident(1, {});
  EXPECT_THAT(Attributed(Swept(full, 1, 4), Half()), AreUs({{"unexplained", 100}}));
  EXPECT_THAT(Attributed(Swept(faster, 0.9, 4), Half()), AreUs({{"unexplained", 100}}));
}

TEST(Occupancy, IsNoMoreThanTheDifferenceWhateverWasMeasured) {
  KernelBuilder full = Resident(1, {});
  EXPECT_THAT(Attributed(Swept(full, 3, 4), Half()), AreUs({{"occupancy_registers", 100}}));
}

TEST(Occupancy, IsNothingWhereTheOneWithFewerWarpsNeedsNoMore) {
  KernelBuilder full = Resident(1, {}), half = Half();
  for (const auto& [blocks, us] : {std::pair(4, 200.0), std::pair(2, 200.0)})
    half.record.interventions.push_back(
        {InterventionKind::kOccupancy, 1000.0 * (8 - blocks), blocks, 8 * blocks, us, us, us, {}, 5});
  EXPECT_THAT(Attributed(Swept(full, 2, 4), half), AreUs({{"unexplained", 100}}));
}

TEST(Occupancy, IsModelledWhereNoSweepReachesTheOther) {
  KernelBuilder full = Resident(1, {}), eighth = Resident(0.125, {.by_registers = 1});
  eighth.Attribute("theoretical_warps_per_sm", 8, "model");
  EXPECT_THAT(Attributed(Swept(full, 1, 1), eighth), AreUs({{"occupancy_registers", 700}}));
  KernelBuilder half = Half();
  EXPECT_THAT(Attributed(Resident(1, {}), Swept(half, 1, 1)), AreUs({{"occupancy_registers", 100}}));
}

TEST(Occupancy, IsNotJudgedWhereALimitIsNotKnown) {
  for (const char* id : {"theoretical_occupancy", "blocks_per_sm_by_shared", "block_threads"}) {
    const KernelBuilder full = Resident(1, {}), fewer = Resident(0.5, {.by_registers = 4}).Remove(id);
    EXPECT_THAT(Attributed(full, fewer), AreUs({{"unexplained", 100}})) << id;
  }
}

TEST(ImbalanceTail, IsNotJudgedWhereTheNumberOfKernelsIsNotKnown) {
  KernelBuilder idle = Kernel();
  Taking(idle, 150).Metric("smsp_cycles_elapsed", 1.5 * *KernelView(idle.record).Get("smsp_cycles_elapsed"));
  EXPECT_THAT(Attributed(Kernel(), idle.Remove("launch_kernels")), AreUs({{"unexplained", 50}}));
}

TEST(Occupancy, AloneIsNettedWithTheWaitingThatVanishedWithTheWarps) {
  const auto kernel = [](double sleeping, double constants) {
    return Spending("k", {{"selected", 40}, {"sleeping", sleeping}, {"imc_miss", constants}})
        .Metric("imc_misses", 10 * constants);
  };
  // The best of both has all warps, 40 us of work, 20 of sleep and 10 of constants: 40 us of sleep less. Half the warps
  // and 10 us more of constants make its 70 us 160: L(70, 160) x ln 2 and L(70, 160) x ln(80 / 70).
  KernelBuilder few = kernel(20, 20);
  SpreadOver(few, 2);
  few.Attribute("theoretical_occupancy", 0.5, "model").Attribute("blocks_per_sm_by_registers", 4, "model");
  const double mean = 90 / std::log(160.0 / 70);
  EXPECT_THAT(Attributed(kernel(60, 10), few), AreUs({{"occupancy_registers", mean * std::log(2) - 40},
                                                      {"constant_cache", mean * std::log(80.0 / 70)}}));
}

TEST(ImbalanceTail, TakesTheTimeInWhichSmsAreIdle) {
  KernelBuilder idle = Kernel();
  Taking(idle, 150).Metric("smsp_cycles_elapsed", 1.5 * *KernelView(idle.record).Get("smsp_cycles_elapsed"));
  EXPECT_THAT(Attributed(Kernel(), idle), AreUs({{"imbalance_tail", 50}}));
}

TEST(ImbalanceTail, IsSilentBetweenTheKernelsOfALaunch) {
  KernelBuilder base = Kernel(), idle = Kernel();
  Taking(idle, 150).Metric("smsp_cycles_elapsed", 1.5 * *KernelView(idle.record).Get("smsp_cycles_elapsed"));
  base.Metric("launch_kernels", 1);
  idle.Metric("launch_kernels", 3);
  EXPECT_THAT(Attributed(base, idle), AreUs({{"launch", 50}}));
}

// A short kernel before a long one is no reason for SMs that have none of its last tiles.
TEST(ImbalanceTail, TakesAFewIdleSmsWhateverTheNumberOfKernels) {
  KernelBuilder base = Kernel(), idle = Kernel();
  Taking(idle, 105).Metric("smsp_cycles_elapsed", 1.05 * *KernelView(idle.record).Get("smsp_cycles_elapsed"));
  base.Metric("launch_kernels", 1);
  idle.Metric("launch_kernels", 2);
  EXPECT_THAT(Attributed(base, idle), AreUs({{"imbalance_tail", 5}}));
}

TEST(Launch, TakesTheTimeBeyondTheElapsedCyclesOfMoreKernels) {
  KernelBuilder base = Kernel(), candidate = Kernel();
  base.Metric("launch_kernels", 1);
  Taking(candidate, 140).Metric("launch_kernels", 2);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"launch", 40}}));
}

TEST(Launch, IsSilentWhereAsManyKernelsTakeTimeBeyondTheElapsedCycles) {
  KernelBuilder base = Kernel(), candidate = Kernel();
  Taking(candidate, 140);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"unexplained", 40}}));
  base.Metric("launch_kernels", 2);
  candidate.Metric("launch_kernels", 2);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"unexplained", 40}}));
}

KernelBuilder AtHalfTheClock() {
  KernelBuilder k = Kernel();
  Taking(k, 200);
  for (Sample& sample : k.record.samples) *sample.clock_mhz /= 2;
  return k;
}

TEST(Clock, TakesTheTimeOfAsManyCycles) {
  EXPECT_THAT(Attributed(Kernel(), AtHalfTheClock()), AreUs({{"clock", 100}}));
}

TEST(Clock, IsNotJudgedWhereOneKernelHasNone) {
  KernelBuilder unknown = AtHalfTheClock();
  for (Sample& sample : unknown.record.samples) sample.clock_mhz.reset();
  EXPECT_THAT(Attributed(Kernel(), unknown), AreUs({{"unexplained", 100}}));
}

// 40 us of work and `more` of it beyond, `waiting` at barriers, executed `barriers` times.
KernelBuilder Synchronizing(double more, double waiting, std::optional<double> barriers) {
  KernelBuilder k = Spending("k", {{"selected", 40 + more}, {"barrier", waiting}});
  k.Metric("inst_issued", 1000 * (40 + more) / 40);
  k.record.barriers = barriers;
  return k;
}

TEST(Barrier, TakesItsWaitingWhereThereAreMoreOfThem) {
  EXPECT_THAT(Attributed(Synchronizing(0, 10, 100), Synchronizing(0, 40, 400)), AreUs({{"barrier", 30}}));
}

TEST(Barrier, PassesItsWaitingOnWhereThereAreAsMany) {
  EXPECT_THAT(Attributed(Synchronizing(0, 10, 100), Synchronizing(20, 40, 100)), AreUs({{"instruction_count", 50}}));
}

TEST(Barrier, TakesItsWaitingWhereThereWereNone) {
  EXPECT_THAT(Attributed(Synchronizing(0, 0, 0), Synchronizing(0, 30, 100)), AreUs({{"barrier", 30}}));
  EXPECT_THAT(Attributed(Synchronizing(0, 0, 0), Synchronizing(20, 30, 100)),
              AreUs({{"barrier", 30}, {"instruction_count", 20}}));
}

TEST(Barrier, IsNotJudgedWhereTheyWereNotCounted) {
  EXPECT_THAT(Attributed(Synchronizing(0, 10, std::nullopt), Synchronizing(20, 40, 400)),
              AreUs({{"instruction_count", 20}, {"unexplained", 30}}))
      << "the waiting may be the barriers' or passed on";
}

TEST(Barrier, LeavesItsWaitingUnexplainedWhereNobodyTakesIt) {
  EXPECT_THAT(Attributed(Synchronizing(0, 10, 100), Synchronizing(0, 40, 100)), AreUs({{"unexplained", 30}}));
  // Causes of less than a tenth of it.
  EXPECT_THAT(Attributed(Synchronizing(0, 0, 100), Synchronizing(2, 30, 100)),
              AreUs({{"instruction_count", 2}, {"unexplained", 30}}));
}

// 40 us of work, 10 us at barriers and `us` in a state that nobody asked more of.
KernelBuilder Meeting(const std::string& state, double us, double barriers) {
  KernelBuilder k = Spending("k", {{"selected", 40}, {"barrier", barriers > 0 ? 10 : 0}, {state, us}});
  k.record.barriers = barriers;
  return k;
}

TEST(Barrier, TakesTheWaitingThatInstructionsOnItsOtherSideNoLongerHide) {
  for (const char* state : {"wait", "math_pipe_throttle", "short_scoreboard", "mio_throttle"})
    EXPECT_THAT(Attributed(Meeting(state, 20, 0), Meeting(state, 30, 1000)), AreUs({{"barrier", 20}})) << state;
}

TEST(Barrier, TakesNoMoreOfItThanBeginningAnewCanCost) {
  // 200 visits of 23 cycles are 4,600 of the 10,000.
  EXPECT_THAT(Attributed(Meeting("wait", 20, 0), Meeting("wait", 30, 200)),
              AreUs({{"barrier", 14.6}, {"unexplained", 5.4}}));
}

TEST(Barrier, TakesNoneOfItWhereBarriersAreAsManyOrFewer) {
  EXPECT_THAT(Attributed(Meeting("wait", 20, 1000), Meeting("wait", 30, 1000)), AreUs({{"unexplained", 10}}));
  EXPECT_THAT(Attributed(Meeting("wait", 20, 1000), Meeting("wait", 30, 100)), AreUs({{"unexplained", 10}}));
}

TEST(Barrier, TakesNothingOfWaitingForMemory) {
  EXPECT_THAT(Attributed(Meeting("lg_throttle", 20, 100), Meeting("lg_throttle", 30, 1000)),
              AreUs({{"unexplained", 10}}));
}

TEST(NotSelected, IsPassedOnToWhatMadeWarpsWork) {
  KernelBuilder candidate = Spending("k", {{"selected", 60}, {"not_selected", 30}}).Metric("inst_issued", 1500);
  EXPECT_THAT(Attributed(Spending("k", {{"selected", 40}}), candidate), AreUs({{"instruction_count", 50}}));
}

TEST(PassedOn, InProportionToWhatEachCauseDid) {
  const auto kernel = [](double selected, double constant, double barrier) {
    return Spending("k", {{"selected", selected}, {"imc_miss", constant}, {"barrier", barrier}});
  };
  const KernelBuilder candidate = kernel(60, 20, 60).Metric("inst_issued", 1500).Metric("imc_misses", 200);
  // 20 us of instructions and 10 us of constants; 45 us at barriers for both.
  EXPECT_THAT(Attributed(kernel(40, 10, 15).Metric("imc_misses", 100), candidate),
              AreUs({{"instruction_count", 20 + 30}, {"constant_cache", 10 + 15}}));
}

TEST(PassedOn, WaitingThatShrinksWhileTheWholeGrowsIsHiddenAndNotGained) {
  const auto kernel = [](double selected, double long_scoreboard) {
    return Spending("k", {{"selected", selected}, {"long_scoreboard", long_scoreboard}})
        .Metric("inst_issued", 25 * selected)
        .Metric("global_load_requests", 100)
        .Metric("global_load_sectors", 400);
  };
  EXPECT_THAT(Attributed(kernel(40, 60), kernel(140, 30)), AreUs({{"instruction_count", 70}}));
}

TEST(PassedOn, CannotTurnACauseRound) {
  const auto kernel = [](double selected, double sleeping, double barrier) {
    return Spending("k", {{"selected", selected}, {"sleeping", sleeping}, {"barrier", barrier}})
        .Metric("inst_issued", 25 * selected);
  };
  // 10 us of instructions, 50 us nobody explains, 30 us less at barriers, of which 10 undo the instructions. The 20
  // that are left and the 50 are unexplained.
  EXPECT_THAT(Attributed(kernel(40, 20, 60), kernel(50, 70, 30)), AreUs({{"unexplained", 30}}));
}

// What is hidden behind idle SMs, a lower clock or a launch is hidden behind nothing that warps wait for.
TEST(PassedOn, NeverToIdleSmsClockOrLaunch) {
  // 20 us less of sleep; then the 80 us that are left become 160.
  const auto less_sleep = [] { return Spending("k", {{"selected", 40}, {"sleeping", 40}}); };
  KernelBuilder idle = less_sleep();
  Taking(idle, 160).Metric("smsp_cycles_elapsed", 2 * *KernelView(idle.record).Get("smsp_cycles_elapsed"));
  KernelBuilder slow = less_sleep();
  Taking(slow, 160);
  for (Sample& sample : slow.record.samples) *sample.clock_mhz /= 2;
  KernelBuilder late = less_sleep();
  Taking(late, 160).Metric("launch_kernels", 2);
  for (const auto& [cause, candidate] : {std::pair{"imbalance_tail", idle}, {"clock", slow}, {"launch", late}}) {
    EXPECT_THAT(Attributed(Kernel(), candidate), AreUs({{cause, 80}, {"unexplained", -20}}));
  }
}

TEST(PassedOn, NeverToBlocksThatEndEarly) {
  // 40 us of work and 20 us at barriers become 40 and 40, each then twice as long for half the warps: 60 us become 160,
  // L(60, 160) x ln 2 of that by the warps and L(60, 160) x ln(80 / 60) at barriers.
  const double mean = 100 / std::log(160.0 / 60);
  KernelBuilder candidate = Spending("k", {{"selected", 40}, {"barrier", 40}});
  EXPECT_THAT(Attributed(Spending("k", {{"selected", 40}, {"barrier", 20}}), SpreadOver(candidate, 2)),
              AreUs({{"imbalance_tail", mean * std::log(2)}, {"unexplained", mean * std::log(80.0 / 60)}}));
}

}  // namespace
}  // namespace culprit
