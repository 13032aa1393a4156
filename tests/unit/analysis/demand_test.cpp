// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/demand.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/why_kernel.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

constexpr Exact kExact = {true, true}, kGuessed = {false, false};

KernelBuilder Kernel() { return testing::Spending("k", {{"selected", 40}}); }
Demand Of(const KernelBuilder& k, Exact exact = kExact) { return Demand(KernelView(k.record), exact); }

TEST(ExactOfBoth, NeedsTheCountsOfBothAndTakesNoAccessesForCounted) {
  const KernelBuilder none = Kernel();
  const KernelBuilder some = Kernel().Metric("sass_global_sectors", 400).Metric("sass_global_sectors_ideal", 100);
  const KernelBuilder lacking =
      Kernel().Remove("sass_shared_wavefronts_ideal").Missing("sass_global_sectors", ReadingStatus::kDenied);
  const auto exact = [](const KernelBuilder& a, const KernelBuilder& b) {
    return ExactOfBoth(KernelView(a.record), KernelView(b.record));
  };
  EXPECT_TRUE(exact(none, some).shared);
  EXPECT_TRUE(exact(none, some).global);
  EXPECT_FALSE(exact(some, lacking).shared);
  EXPECT_FALSE(exact(some, lacking).global);
  EXPECT_FALSE(exact(lacking, some).global);
}

TEST(Demand, OtherInstructionsAreWhatNoKindTakesAndNeverLessThanNone) {
  KernelBuilder k = Kernel();
  k.Metric("local_load_inst", 10).Metric("shared_load_inst", 20).Metric("shared_ldsm_inst", 5);
  k.Metric("global_load_inst", 40).Metric("global_red_requests", 15).Metric("pipe_fp64_inst", 60);
  k.Metric("ffma_thread_inst", 32 * 300).Metric("branch_inst", 70);
  // Branches are among the others: 1,000 - 10 - 25 - 40 - 15 - 60 - 300.
  EXPECT_DOUBLE_EQ(Of(k).other, 550);
  k.Metric("inst_issued", 100);
  EXPECT_EQ(Of(k).other, 0);
}

TEST(Demand, ThreadInstructionsAreWarpInstructionsOfTheLanesAtWork) {
  KernelBuilder k = Kernel().Metric("ffma_thread_inst", 3200).Metric("fp32_thread_inst", 1600);
  EXPECT_DOUBLE_EQ(Of(k).fp32, 100);
  EXPECT_DOUBLE_EQ(Of(k.Metric("threads_per_inst", 8)).fp32, 400);
  EXPECT_DOUBLE_EQ(Of(k.Remove("threads_per_inst")).fp32, 100) << "lanes that were not counted are taken to be all";
}

TEST(Demand, ConversionsAreNoSpecialFunctionsAndNoMoreThanTheirPipeDid) {
  KernelBuilder k = Kernel().Metric("pipe_xu_inst", 100).Metric("conversion_thread_inst", 32 * 30);
  EXPECT_DOUBLE_EQ(Of(k).conversion, 30);
  EXPECT_DOUBLE_EQ(Of(k).special, 70);
  // Some conversions pass other pipes.
  k.Metric("conversion_thread_inst", 32 * 500);
  EXPECT_DOUBLE_EQ(Of(k).conversion, 100);
  EXPECT_DOUBLE_EQ(Of(k).special, 0);
}

TEST(Demand, ConflictsAreTheExactShareOfAllWavefrontsButThoseOfAtomics) {
  KernelBuilder k = Kernel().Metric("shared_wavefronts", 500).Metric("shared_atom_wavefronts", 100);
  k.Metric("sass_shared_wavefronts", 400)
      .Metric("sass_shared_wavefronts_ideal", 100)
      .Metric("shared_conflicts_hw", 350);
  EXPECT_DOUBLE_EQ(Of(k).shared_conflicts, 300);
  EXPECT_DOUBLE_EQ(Of(k).shared_useful, 100);
  EXPECT_DOUBLE_EQ(Of(k).shared_atomic, 100);
  EXPECT_DOUBLE_EQ(Of(k, kGuessed).shared_conflicts, 350) << "lost arbitration included";
  EXPECT_DOUBLE_EQ(Of(k, kGuessed).shared_useful, 50);
  EXPECT_DOUBLE_EQ(Of(k.Metric("shared_conflicts_hw", 9000), kGuessed).shared_conflicts, 400);
}

TEST(Demand, SectorsBeyondTheIdealAreExcessOnlyWhereBothWereCountedExactly) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 3000).Metric("global_store_sectors", 200);
  k.Metric("sass_global_sectors", 3200).Metric("sass_global_sectors_ideal", 400);
  EXPECT_DOUBLE_EQ(Of(k).useful_l1, 400);
  EXPECT_DOUBLE_EQ(Of(k).excess_l1, 2800);
  EXPECT_DOUBLE_EQ(Of(k, kGuessed).useful_l1, 3200);
  EXPECT_DOUBLE_EQ(Of(k, kGuessed).excess_l1, 0);
}

TEST(Demand, CoalescedSectorsTakeADeeperLevelFirst) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 3200).Metric("l2_sectors_from_l1", 1000);
  k.Metric("sass_global_sectors", 3200).Metric("sass_global_sectors_ideal", 400).Metric("dram_read_bytes", 300 * 32);
  EXPECT_DOUBLE_EQ(Of(k).useful_l2, 400);
  EXPECT_DOUBLE_EQ(Of(k).excess_l2, 600);
  EXPECT_DOUBLE_EQ(Of(k).useful_dram, 300);
  EXPECT_DOUBLE_EQ(Of(k).excess_dram, 0);
}

TEST(Demand, LocalAndGlobalSectorsMissL1Alike) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 300).Metric("local_store_sectors", 100);
  k.Metric("l2_sectors_from_l1", 80).Metric("dram_write_bytes", 40 * 32);
  EXPECT_DOUBLE_EQ(Of(k).local_l2, 20);
  EXPECT_DOUBLE_EQ(Of(k).useful_l2, 60);
  EXPECT_DOUBLE_EQ(Of(k).local_dram, 10);
}

TEST(Demand, SectorsOfL2AreThoseFromL1WhereTheyWereToldApart) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 300).Metric("l2_sectors", 250);
  EXPECT_DOUBLE_EQ(Of(k).useful_l2, 250);
  EXPECT_DOUBLE_EQ(Of(k.Metric("l2_sectors_from_l1", 200)).useful_l2, 200);
  EXPECT_DOUBLE_EQ(Of(k.Metric("l1_sectors_miss", 220)).useful_l2, 220) << "misses that L1 merges wait all the same";
  k.Metric("l2_sectors_from_l1", 0).Metric("l1_sectors_miss", 0);
  EXPECT_DOUBLE_EQ(Of(k).useful_l2, 0) << "0 was measured";
}

TEST(Demand, AsynchronousCopiesAreAmongTheExactCountsAlone) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 100).Metric("global_load_requests", 25);
  k.Metric("sass_global_sectors", 900).Metric("sass_global_sectors_ideal", 900).Metric("sass_global_inst", 225);
  EXPECT_DOUBLE_EQ(Of(k).useful_l1, 100);
  EXPECT_DOUBLE_EQ(Of(k).global_requests, 25);
  k.Metric("sass_ldgsts_inst", 200);
  EXPECT_DOUBLE_EQ(Of(k).useful_l1, 900);
  EXPECT_DOUBLE_EQ(Of(k).global_requests, 225);
}

TEST(Demand, KeepsPercentagesThatWereNotMeasuredApartFrom0) {
  const Demand d =
      Of(Kernel().Metric("l1_throughput_pct", 0, "%").Missing("l2_throughput_pct", ReadingStatus::kFailed));
  EXPECT_EQ(d.l1_pct.value(), 0.0);
  EXPECT_FALSE(d.l2_pct);
  EXPECT_FALSE(d.dram_pct);
}

}  // namespace
}  // namespace culprit
