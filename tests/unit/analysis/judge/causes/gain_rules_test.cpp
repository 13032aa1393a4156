// SPDX-License-Identifier: Apache-2.0
// What each rule takes away, and where it takes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/findings.h"
#include "analysis/judge/causes/gain.h"
#include "analysis/judge/causes/sharing.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using testing::KernelBuilder;
using testing::Quiet;

std::optional<Removal> Remove(const KernelBuilder& k, std::string_view cause) {
  const KernelView view(k.record);
  return FindCause(cause)->gain.removal(Sharing(view));
}

TEST(GainRules, AreOneForEachFindingButTheGoodOne) {
  for (const Cause& cause : Causes())
    EXPECT_EQ(cause.gain.removal != nullptr, cause.finding.judge != nullptr && cause.id != "fma_pipe") << cause.id;
}

TEST(GainRules, ReadNoMoreThanTheirFindingsNeed) {
  for (const Cause& cause : Causes()) {
    if (cause.gain.removal == nullptr) continue;
    const auto& needs = cause.finding.needs;
    const auto needed = [&](const std::string& id) { return std::find(needs.begin(), needs.end(), id) != needs.end(); };
    KernelBuilder k = Quiet();
    std::erase_if(k.record.readings, [&](const Reading& r) {
      const std::string& id = r.metric.id;
      // "local_sectors" are the local_load_sectors and the local_store_sectors.
      return !needed(id) && !(id.ends_with("_sectors") && needed(id.substr(0, id.find('_')) + "_sectors"));
    });
    const KernelView view(k.record);
    EXPECT_NO_THROW(cause.gain.removal(Sharing(view))) << cause.id;
  }
}

TEST(GainRules, TakeNothingAwayWhereTheCauseIsAbsent) {
  const KernelBuilder k = Quiet();
  const KernelView view(k.record);
  for (const char* cause :
       {"local_memory_array", "shared_bank_conflicts", "global_uncoalesced", "barrier", "imbalance_tail", "sfu_pipe",
        "divergence", "instruction_cache", "register_bank_dispatch"}) {
    const GainRule& rule = FindCause(cause)->gain;
    EXPECT_EQ(view.Get(rule.size).value_or(-1), 0) << cause;
    EXPECT_NEAR(EstimateGain(view, rule)->gain_us, 0, 1e-9) << cause;
  }
  EXPECT_FALSE(EstimateGain(view, FindCause("occupancy_registers")->gain)) << "no limit, no estimate";
}

TEST(GainRules, LiftTheRegisterLimitToTheNextOne) {
  KernelBuilder k = Quiet();
  k.Attribute("theoretical_occupancy", 0.25, "model").Attribute("blocks_per_sm_by_registers", 2, "model");
  k.Attribute("blocks_per_sm_by_shared", 4, "model");
  k.record.launch.grid_x = 1000;
  EXPECT_DOUBLE_EQ(Remove(k, "occupancy_registers")->warps, 2);
  k.record.launch.grid_x = 132;
  k.record.launch.grid_y = 3;
  EXPECT_DOUBLE_EQ(Remove(k, "occupancy_registers")->warps, 1.5) << "there are no more than three blocks for each SM";
}

TEST(GainRules, MakeFp32InstructionsOfFp64OnesAndLeaveConversionsOut) {
  KernelBuilder k = Quiet();
  k.Metric("pipe_fp64_inst", 5e5).Metric("pipe_xu_inst", 2e5).Metric("conversion_thread_inst", 32e5);
  const Removal r = *Remove(k, "fp64_pipe");
  EXPECT_DOUBLE_EQ(r.instructions, 0.1) << "the FP64 instructions stay, as FP32";
  EXPECT_DOUBLE_EQ(r.fp64, 1);
  EXPECT_DOUBLE_EQ(r.xu, 0.5);
  EXPECT_DOUBLE_EQ(r.waiting.at("math_pipe_throttle"), 1);
  EXPECT_DOUBLE_EQ(r.waiting.at("mio_throttle"), 0.5) << "half of what passes the queue converts";
  EXPECT_DOUBLE_EQ(r.waiting.at("wait"), 0.25) << "half of the latency of half of the instructions";
}

TEST(GainRules, PromiseNothingForConversionsThatWereNotCounted) {
  KernelBuilder k = Quiet();
  k.Metric("pipe_fp64_inst", 5e5).Metric("pipe_xu_inst", 2e5);
  const Removal r = *Remove(k, "fp64_pipe");
  EXPECT_EQ(r.instructions, 0);
  EXPECT_EQ(r.xu, 0);
  EXPECT_EQ(r.waiting.at("short_scoreboard"), 0);
}

TEST(GainRules, TakeSpecialFunctionsAwayWithTheirInstructions) {
  KernelBuilder k = Quiet();
  k.Metric("pipe_xu_inst", 2e5).Metric("shared_load_inst", 6e5);
  const Removal r = *Remove(k, "sfu_pipe");
  EXPECT_DOUBLE_EQ(r.instructions, 0.2);
  EXPECT_DOUBLE_EQ(r.waiting.at("mio_throttle"), 0.4) << "two cycles each";
  EXPECT_DOUBLE_EQ(r.xu, 1);
}

TEST(GainRules, HalveInstructionsOnlyWhereAQuarterOfThemAreFfma) {
  EXPECT_FALSE(Remove(Quiet().Metric("ffma_thread_inst", 32e5), "instruction_count"))
      << "a tenth: the others are what the kernel does";
  const auto removal = Remove(Quiet().Metric("ffma_thread_inst", 32e6 * 0.3), "instruction_count");
  ASSERT_TRUE(removal);
  EXPECT_NEAR(removal->instructions, 0.4, 1e-12);
}

// 200 of 1000 warp-cycles wait in the queue of the memory input/output unit, 100 for what passed it.
KernelBuilder Queueing() {
  return Quiet()
      .Metric("stall_mio_throttle", 200, "warp-cycle")
      .Metric("stall_short_scoreboard", 100, "warp-cycle")
      .Metric("stall_wait", 300, "warp-cycle");
}

TEST(GainRules, LeaveTheQueueToGlobalMemoryWhereNothingElsePassesIt) {
  const Removal r = *Remove(Queueing(), "dram_traffic");
  EXPECT_DOUBLE_EQ(r.waiting.at("mio_throttle"), 1);
  EXPECT_DOUBLE_EQ(r.waiting.at("short_scoreboard"), 1);
  for (const char* other : {"shared_load_inst", "pipe_xu_inst"})
    EXPECT_EQ(Remove(Queueing().Metric(other, 10), "dram_traffic")->waiting.at("mio_throttle"), 0) << other;
}

TEST(GainRules, SayNothingOfSharedMemoryWhereItIsNotAccessed) {
  const KernelBuilder k = Queueing();
  EXPECT_EQ(Remove(k, "shared_traffic")->waiting.at("mio_throttle"), 0);
  for (const Finding& finding : JudgeKernel(KernelView(k.record)).findings) EXPECT_NE(finding.id, "shared_traffic");
  const KernelBuilder shared = Queueing().Metric("shared_load_inst", 10);
  EXPECT_EQ(JudgeKernel(KernelView(shared.record)).findings.front().id, "shared_traffic");
}

TEST(GainRules, LeaveTheWaitingOfAtomicsToAtomics) {
  KernelBuilder k = Quiet();
  k.Metric("global_red_sectors", 2000, "sector").Metric("global_atom_sectors", 1000, "sector");
  k.Metric("sass_global_sectors", 4000, "sector").Metric("sass_global_sectors_ideal", 1000, "sector");
  // Three quarters of the sectors are excess, but only 1000 of 4000 are those of loads and stores.
  EXPECT_DOUBLE_EQ(Remove(k, "global_uncoalesced")->waiting.at("long_scoreboard"), 0.75 * 0.25);
}

TEST(GainRules, TakeTheSectorsThatDeviceMemoryFillsAlong) {
  KernelBuilder k = Quiet();
  k.Metric("l1_sectors_miss", 1000, "sector").Metric("l2_sectors", 1600, "sector");
  EXPECT_NEAR(Remove(k, "dram_traffic")->l2, 0.375, 1e-12);
  EXPECT_NEAR(Remove(k, "l2_traffic")->l2, 1, 1e-12);
}

TEST(GainRules, TakeSharedInstructionsAwayWithTheTraffic) {
  KernelBuilder k = Quiet();
  k.Metric("shared_load_inst", 2e5).Metric("shared_store_inst", 1e5).Metric("pipe_lsu_inst", 6e5);
  const Removal r = *Remove(k, "shared_traffic");
  EXPECT_DOUBLE_EQ(r.instructions, 0.3);
  EXPECT_DOUBLE_EQ(r.lsu, 0.5);
}

}  // namespace
}  // namespace culprit
