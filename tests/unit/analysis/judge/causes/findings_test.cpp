// SPDX-License-Identifier: Apache-2.0
// The engine: what it does with any rule.
#include "analysis/judge/causes/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/judge/causes/cause.h"
#include "tests/support/invented_study.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

Findings Judge(const KernelBuilder& builder) {
  const KernelView view(builder.record);
  return JudgeKernel(view);
}

// Causes that have something to say of one kernel.
std::vector<Cause> Speaking() {
  std::vector<Cause> causes(Causes().begin(), Causes().end());
  std::erase_if(causes, [](const Cause& cause) { return cause.finding.judge == nullptr; });
  return causes;
}

TEST(Causes, HaveEachItsOwnId) {
  std::set<std::string_view> ids;
  for (const Cause& cause : Causes()) EXPECT_TRUE(ids.insert(cause.id).second) << cause.id;
}

TEST(Findings, NoRuleSpeaksAboutAQuietKernel) {
  const Findings f = Judge(testing::Quiet());
  EXPECT_TRUE(f.findings.empty()) << f.findings.front().text;
  EXPECT_TRUE(f.not_judged.empty()) << f.not_judged.front().id;
  EXPECT_EQ(f.silent, static_cast<int>(Speaking().size()));
}

// At 100 us the FFMA lanes are busy for most cycles, which weighs more than any waiting.
TEST(Findings, GoodNewsStandsBehindWhatHoldsAKernelBack) {
  testing::KernelBuilder busy = testing::Quiet();
  busy.Stall("barrier", 30, 100, 1000);
  const KernelView view(busy.record);
  busy.Metric("ffma_thread_inst",
              0.9 * view.At("sm_cycles_elapsed_max") * view.At("sm_count") * view.At("fp32_lanes_per_sm"));
  const Findings f = Judge(busy);
  ASSERT_GE(f.findings.size(), 2u);
  EXPECT_EQ(f.findings.back().id, "fma_pipe");
  EXPECT_TRUE(f.findings.back().good);
  EXPECT_FALSE(f.findings.front().good);
  EXPECT_GT(*f.findings.back().weight_us, *f.findings.front().weight_us) << "by weight alone it would lead";
}

TEST(Findings, ARuleWhoseMetricIsMissingIsNotJudgedAndSaysWhich) {
  const Findings f = Judge(testing::Quiet().Missing("stall_barrier", ReadingStatus::kDenied));
  ASSERT_EQ(f.not_judged.size(), 1u);
  EXPECT_EQ(f.not_judged[0].id, "barrier");
  EXPECT_EQ(f.not_judged[0].missing[0].id, "stall_barrier");
  EXPECT_EQ(f.not_judged[0].missing[0].why, Absence::kDenied);
}

// Of a launch that was hardly there: its stalls are shares of nothing.
TEST(Findings, RulesAboutWaitingAreNotJudgedWhereNoWarpWasSeen) {
  const Findings f = Judge(testing::Quiet().Metric("warps_active", 0, "warp-cycle"));
  EXPECT_TRUE(f.findings.empty());
  for (const Cause& cause : Speaking()) {
    if (std::ranges::find(cause.finding.needs, "warps_active") == cause.finding.needs.end()) continue;
    const auto n = std::ranges::find(f.not_judged, cause.id, &NotJudged::id);
    ASSERT_NE(n, f.not_judged.end()) << cause.id;
    EXPECT_EQ(n->missing[0].why, Absence::kUndefined) << cause.id;
  }
}

// A part of the time may be undefined although each number of it is there.
TEST(Findings, RulesAboutWaitingAreNotJudgedWhereItsShareIsNoNumber) {
  const Findings f =
      Judge(testing::Quiet().Metric("warps_active", 1e-300, "warp-cycle").Metric("stall_lg_throttle", 1e300));
  EXPECT_TRUE(std::ranges::any_of(f.not_judged, [](const NotJudged& n) { return n.id == "global_access_width"; }));
}

TEST(Findings, EveryRuleIsNotJudgedWithoutAnyOneOfItsNeeds) {
  for (const Cause& cause : Speaking())
    for (std::string_view need : cause.finding.needs) {
      KernelBuilder k = testing::Quiet();
      const std::string id(need);
      if (id == "time_us")
        k.record.samples.clear();
      else if (id == "sm_count" || id == "fp32_lanes_per_sm" || id == "dram_bytes_per_s")
        k.record.run.run.device.reset();
      else if (id == "local_sectors" || id == "global_sectors")
        k.Remove(id.substr(0, id.find('_')) + "_load_sectors");
      else if (id.ends_with("_narrow_inst") || id.ends_with("_width_inst"))
        k.record.accesses.clear();
      else if (id.ends_with("_pct"))
        k.Missing(id, ReadingStatus::kUnsupported);  // one that was not asked for may follow from counts
      else
        k.Remove(id);
      const Findings f = Judge(k);
      EXPECT_TRUE(
          std::any_of(f.not_judged.begin(), f.not_judged.end(), [&](const NotJudged& n) { return n.id == cause.id; }))
          << cause.id << " was judged without " << need;
    }
}

TEST(Findings, NoRuleReadsWhatItDidNotAskFor) {
  // A kernel that holds nothing but one rule's needs: At() throws for anything else.
  for (const Cause& cause : Speaking()) {
    KernelBuilder k = testing::InventedV16();
    const std::vector<Reading> all = k.record.readings;
    for (const Reading& r : all) {
      const std::string& id = r.metric.id;
      const auto needed = [&](std::string_view need) {
        return need == id || (need == "local_sectors" && (id == "local_load_sectors" || id == "local_store_sectors")) ||
               (need == "global_sectors" && (id == "global_load_sectors" || id == "global_store_sectors"));
      };
      if (std::none_of(cause.finding.needs.begin(), cause.finding.needs.end(), needed)) k.Remove(id);
    }
    const KernelView view(k.record);
    EXPECT_NO_THROW(JudgeKernel(view, cause)) << cause.id;
  }
}

// Whose the waiting is, is open: nothing of it can be claimed, and nothing can be said to stand out.
TEST(Findings, ARuleWhoseShareIsOpenIsNotJudgedAndSaysForWantOfWhat) {
  KernelBuilder k = testing::Quiet();
  k.Metric("stall_mio_throttle", 400).Metric("stall_short_scoreboard", 300).Metric("shared_load_inst", 1000);
  k.Metric("shared_wavefronts", 1000);
  const auto is_traffic = [](const auto& f) { return f.id == "shared_traffic"; };
  EXPECT_TRUE(std::ranges::any_of(Judge(k).findings, is_traffic));
  const Findings open = Judge(k.Remove("idc_requests").Remove("idc_replays"));
  EXPECT_FALSE(std::ranges::any_of(open.findings, is_traffic));
  const auto n = std::ranges::find(open.not_judged, "shared_traffic", &NotJudged::id);
  ASSERT_NE(n, open.not_judged.end());
  EXPECT_TRUE(std::ranges::any_of(n->missing, [](const auto& m) { return m.id == "idc_replays"; }));
}

TEST(Findings, SortsByTimeAndPutsThoseWithoutLast) {
  KernelBuilder k = testing::Quiet();
  k.Metric("stall_barrier", 200).Metric("stall_no_instruction", 300).Metric("stall_long_scoreboard", 200);
  k.Attribute("theoretical_occupancy", 0.25, "model").Attribute("blocks_per_sm_by_registers", 2, "model");
  const Findings f = Judge(k);
  ASSERT_EQ(f.findings.size(), 3u);
  EXPECT_EQ(f.findings[0].id, "instruction_cache");
  EXPECT_EQ(f.findings[1].id, "barrier");
  EXPECT_EQ(f.findings[2].id, "occupancy_registers");
  EXPECT_FALSE(f.findings[2].weight_us);
}

TEST(Findings, LeavesOutWhatCostsLessThanAHundredthOfTheTime) {
  // The rule speaks from a quarter of excess sectors on, whatever they cost.
  KernelBuilder k = testing::Quiet();
  k.Metric("sass_global_sectors", 4000).Metric("stall_long_scoreboard", 12);  // 3/4 of 1.2 us
  EXPECT_TRUE(Judge(k).findings.empty());
  k.Metric("stall_long_scoreboard", 16);
  EXPECT_EQ(Judge(k).findings.size(), 1u);
}

TEST(Findings, HaveABriefThatFitsALineWithTheNameOfItsStage) {
  for (const KernelBuilder& k : {testing::InventedV16(), testing::InventedV17(), testing::InventedCublas()})
    for (const Finding& finding : Judge(k).findings) {
      EXPECT_FALSE(finding.brief.empty()) << finding.id;
      EXPECT_LE(finding.brief.size(), 70u) << finding.brief;
    }
}

TEST(Findings, ShowsTheNumbersThatARuleRestsOn) {
  const Findings f = Judge(testing::Quiet().Metric("threads_per_inst", 8, "thread"));
  ASSERT_EQ(f.findings.size(), 1u);
  ASSERT_EQ(f.findings[0].evidence.size(), 8u);
  EXPECT_EQ(f.findings[0].evidence[0].id, "threads_per_inst");
  EXPECT_DOUBLE_EQ(f.findings[0].evidence[0].value, 8);
  EXPECT_EQ(f.findings[0].evidence[0].unit, "thread");
}

TEST(Findings, SpeakAboutLocalMemoryFirstForTheSlowLoopNestAndNotAtAllForTheFastOne) {
  const Findings slow = Judge(testing::InventedV16());
  ASSERT_FALSE(slow.findings.empty());
  EXPECT_EQ(slow.findings[0].id, "local_memory_array");
  EXPECT_GT(*slow.findings[0].weight_us, 400);
  const Findings fast = Judge(testing::InventedV17());
  ASSERT_FALSE(fast.findings.empty());
  EXPECT_EQ(fast.findings[0].id, "shared_bank_conflicts");
  for (const Finding& finding : fast.findings)
    EXPECT_THAT(finding.id, ::testing::Not(::testing::StartsWith("local_memory")));
}

TEST(Findings, FindNothingButThePeakInALibraryKernel) {
  const Findings f = Judge(testing::InventedCublas());
  ASSERT_FALSE(f.findings.empty());
  EXPECT_EQ(f.findings[0].id, "fma_pipe");
}

}  // namespace
}  // namespace culprit
