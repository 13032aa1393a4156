// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/demand.h"

#include <gtest/gtest.h>

#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

KernelBuilder Kernel() { return testing::Spending("k", {{"selected", 40}}); }
Demand Of(const KernelBuilder& k) { return Demand(KernelView(k.record)); }

double At(const Range& range) {
  EXPECT_TRUE(range.IsPoint()) << range.low << " .. " << range.high;
  return range.low;
}

TEST(Demand, ProductsOfWarpgroupsAreAmongTheMatrixInstructions) {
  KernelBuilder k = Kernel().Metric("tensor_hmma_inst", 100).Metric("tensor_hfma2_inst", 0);
  k.Metric("tensor_gmma_inst", 100).Metric("shared_wavefronts", 5000).Metric("shared_load_wavefronts", 1000);
  k.Metric("shared_store_wavefronts", 500).Metric("tensor_pipe_pct", 50).Metric("smsp_cycles_active", 800);
  const Demand d = Of(k);
  EXPECT_DOUBLE_EQ(At(d.tensor), 100);
  EXPECT_DOUBLE_EQ(At(d.gmma), 100);
  EXPECT_DOUBLE_EQ(At(d.gmma_cycles), 400) << "as long as the pipe was busy";
  EXPECT_DOUBLE_EQ(At(d.shared_by_products), 3500) << "no load nor store";
  k.Remove("tensor_pipe_pct");
  EXPECT_DOUBLE_EQ(Of(k).gmma_cycles.high, 100 * 128) << "the largest products";
  k.Metric("shared_wavefronts", 1540);
  EXPECT_DOUBLE_EQ(Of(k).gmma_cycles.high, 40 * 8) << "nor longer than by what they read";
}

TEST(Demand, OtherInstructionsAreWhatNoKindTakesAndNeverLessThanNone) {
  KernelBuilder k = Kernel();
  k.Metric("local_load_inst", 10).Metric("shared_load_inst", 20).Metric("shared_ldsm_inst", 5);
  k.Metric("global_load_inst", 40).Metric("global_red_requests", 15).Metric("pipe_fp64_inst", 60);
  k.Metric("ffma_thread_inst", 32 * 300).Metric("branch_inst", 70);
  // Branches are among the others: 1,000 - 10 - 25 - 40 - 15 - 60 - 300.
  EXPECT_DOUBLE_EQ(At(Of(k).other), 550);
  k.Metric("inst_issued", 100);
  EXPECT_EQ(At(Of(k).other), 0);
}

TEST(Demand, ThreadInstructionsAreWarpInstructionsOfTheLanesAtWork) {
  KernelBuilder k = Kernel().Metric("ffma_thread_inst", 3200).Metric("fp32_thread_inst", 1600);
  EXPECT_DOUBLE_EQ(At(Of(k).fp32), 100);
  EXPECT_DOUBLE_EQ(At(Of(k.Metric("threads_per_inst", 8)).fp32), 400);
  k.Remove("threads_per_inst");
  EXPECT_DOUBLE_EQ(Of(k).fp32.low, 100) << "all lanes";
  EXPECT_DOUBLE_EQ(Of(k).fp32.high, 1000) << "as many as were issued";
}

TEST(Demand, ConversionsAreNoSpecialFunctionsAndNoMoreThanTheirPipeDid) {
  KernelBuilder k = Kernel().Metric("pipe_xu_inst", 100).Metric("conversion_thread_inst", 32 * 30);
  EXPECT_DOUBLE_EQ(At(Of(k).conversion), 30);
  EXPECT_DOUBLE_EQ(At(Of(k).special), 70);
  // Some conversions pass other pipes.
  k.Metric("conversion_thread_inst", 32 * 500);
  EXPECT_DOUBLE_EQ(At(Of(k).conversion), 100);
  EXPECT_DOUBLE_EQ(At(Of(k).special), 0);
}

TEST(Demand, PipesThatWereNotCountedDidWhatTheirShareOfThePeakAllows) {
  KernelBuilder k = Kernel().Metric("smsp_cycles_active", 8000).Metric("inst_issued", 4000);
  k.Metric("xu_pipe_pct", 10).Remove("pipe_xu_inst");
  // 16 lanes an SM and cycle: 1,000 instructions would fill the pipe for 8,000 cycles of a sub-partition.
  const Range xu = Of(k).special;
  EXPECT_LT(xu.low, 100);
  EXPECT_GT(xu.low, 80);
  EXPECT_GT(xu.high, 100);
  EXPECT_LT(xu.high, 120);
  k.Metric("xu_pipe_pct", 0);
  EXPECT_LT(Of(k).special.high, 0.1) << "it may have been rounded";
  EXPECT_DOUBLE_EQ(Of(k.Remove("xu_pipe_pct")).special.high, 4000) << "as many as were issued";
}

TEST(Demand, ReplaysOfConstantsAreAmongTheRequests) {
  KernelBuilder k = Kernel().Metric("idc_requests", 50).Metric("idc_replays", 20);
  EXPECT_DOUBLE_EQ(At(Of(k).constant_requests), 70);
  k.Remove("idc_replays");
  EXPECT_DOUBLE_EQ(Of(k).constant_requests.low, 50);
  EXPECT_DOUBLE_EQ(Of(k).constant_requests.high, 100);
  EXPECT_DOUBLE_EQ(Of(k.Remove("idc_requests")).constant_requests.high, 33 * 1000) << "one for each lane";
}

// 20 of 50 loads, and 200 of their 300 wavefronts, are of atomics' loops.
KernelBuilder Swapping() {
  KernelBuilder k = Kernel().Metric("shared_wavefronts", 500).Metric("shared_atom_wavefronts", 100);
  k.Metric("shared_load_inst", 50).Metric("shared_atom_inst", 20).Metric("shared_load_wavefronts", 300);
  k.Metric("shared_ldsm_wavefronts", 0).Metric("shared_store_wavefronts", 50);
  k.Metric("sass_shared_wavefronts", 450).Metric("sass_shared_wavefronts_ideal", 240);
  k.record.access_bytes["shared"] = 10;
  k.record.swap_loads = SwapLoads{.executions = 20, .wavefronts = 200, .ideal_wavefronts = 40, .bytes = 4};
  return k;
}

TEST(Demand, LoadsOfAtomicsLoopsBelongToTheAtomics) {
  const KernelBuilder k = Swapping();
  const Demand d = Of(k), as_loads(KernelView(k.record), Demand::Splits::kOpen, Demand::Swaps::kLoads);
  EXPECT_DOUBLE_EQ(At(as_loads.shared), 50);
  EXPECT_DOUBLE_EQ(At(as_loads.shared_atomic_inst), 20);
  EXPECT_DOUBLE_EQ(At(as_loads.shared_atomic), 100);
  EXPECT_DOUBLE_EQ(At(as_loads.shared_width), 10);
  EXPECT_DOUBLE_EQ(At(d.shared), 30);
  EXPECT_DOUBLE_EQ(At(d.shared_atomic_inst), 40);
  EXPECT_DOUBLE_EQ(At(d.shared_atomic), 300);
  EXPECT_DOUBLE_EQ(At(d.shared_all), 200);
  EXPECT_DOUBLE_EQ(At(d.shared_width), 14) << "(50 x 10 - 20 x 4) / 30";
  EXPECT_DOUBLE_EQ(At(d.other), 1000 - 70);
  // Of 210 conflicts, 160 are of the loops. The others are 50 of 250 wavefronts, so 40 of the hardware's 200.
  EXPECT_DOUBLE_EQ(At(d.shared_conflicts), 40);
  EXPECT_DOUBLE_EQ(At(d.shared_useful), 160);
}

TEST(Demand, LoadsOfAtomicsLoopsAreNoCopiesAndNoOperandsOfProducts) {
  KernelBuilder k = Swapping();
  k.Metric("shared_conflicts_hw", 0).Metric("sass_shared_wavefronts", 0).Metric("sass_shared_wavefronts_ideal", 0);
  k.Metric("global_load_requests", 10);
  // 500 wavefronts without 100 of atomics, 300 of loads and 50 of stores.
  EXPECT_DOUBLE_EQ(At(Of(k).shared_by_copies), 50);
  k.Metric("global_load_requests", 0).Metric("tensor_hmma_inst", 10).Metric("tensor_gmma_inst", 10);
  EXPECT_DOUBLE_EQ(At(Of(k).shared_by_products), 50);
}

TEST(Demand, LoadsOfAtomicsLoopsThatWereSampledAreARange) {
  KernelBuilder k = Swapping();
  k.Metric("shared_load_wavefronts", 400).Metric("shared_ldsm_wavefronts", 100).Metric("shared_load_conflicts_hw", 75);
  k.record.swap_loads =
      SwapLoads{.is_exact = false, .executions = 0.4, .wavefronts = 0.5, .bytes = 4, .samples = 10'000};
  const Demand d = Of(k);
  EXPECT_NEAR(d.shared_atomic_inst.low, 20 + (0.4 - 0.00806) * 50, 1e-3);
  EXPECT_NEAR(d.shared_atomic_inst.high, 20 + (0.4 + 0.00806) * 50, 1e-3);
  // Of 300 wavefronts of LDS, 75 are of conflicts, which any of these loads may have.
  EXPECT_NEAR(d.shared_atomic.low, 100 + (0.5 - 0.00822) * 225, 1e-2);
  EXPECT_NEAR(d.shared_atomic.high, 100 + (0.5 + 0.00822) * 225 + 75, 1e-2);
  EXPECT_EQ(d.shared_conflicts.low, 0);
  EXPECT_FALSE(d.shared_width.IsPoint());
  k.record.swap_loads->samples = 10;
  EXPECT_DOUBLE_EQ(At(Of(k).shared_atomic), 100) << "too few samples";
}

TEST(SwapDemandOf, IsKnownWithoutCodeWhereThereAreNoAtomics) {
  KernelBuilder k = Swapping();
  k.record.swap_loads.reset();
  EXPECT_FALSE(SwapDemandOf(KernelView(k.record)));
  k.Metric("shared_atom_inst", 0);
  ASSERT_TRUE(SwapDemandOf(KernelView(k.record)));
  EXPECT_EQ(SwapDemandOf(KernelView(k.record))->wavefronts.high, 0);
}

TEST(Demand, ConflictsAreTheExactShareOfAllWavefrontsButThoseOfAtomics) {
  KernelBuilder k = Kernel().Metric("shared_wavefronts", 500).Metric("shared_atom_wavefronts", 100);
  k.Metric("sass_shared_wavefronts", 400)
      .Metric("sass_shared_wavefronts_ideal", 100)
      .Metric("shared_conflicts_hw", 350);
  EXPECT_DOUBLE_EQ(At(Of(k).shared_conflicts), 300);
  EXPECT_DOUBLE_EQ(At(Of(k).shared_useful), 100);
  EXPECT_DOUBLE_EQ(At(Of(k).shared_atomic), 100);
  k.Remove("sass_shared_wavefronts");
  EXPECT_EQ(Of(k).shared_conflicts.low, 0) << "all of the hardware's may be lost arbitration";
  EXPECT_EQ(Of(k).shared_conflicts.high, 350);
  EXPECT_EQ(Of(k).shared_useful.low, 50);
  EXPECT_EQ(Of(k).shared_useful.high, 400);
}

TEST(Demand, SectorsBeyondTheIdealAreExcessAndAnyMayBeWhereThatWasNotCounted) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 3000).Metric("global_store_sectors", 200);
  k.Metric("sass_global_sectors", 3200).Metric("sass_global_sectors_ideal", 400);
  EXPECT_DOUBLE_EQ(At(Of(k).useful_l1), 400);
  EXPECT_DOUBLE_EQ(At(Of(k).excess_l1), 2800);
  k.Metric("global_load_requests", 100).Remove("sass_global_sectors_ideal");
  EXPECT_EQ(Of(k).useful_l1.low, 100) << "a request needs a sector";
  EXPECT_EQ(Of(k).useful_l1.high, 3200);
  EXPECT_EQ(Of(k).excess_l1.low, 0);
  EXPECT_EQ(Of(k).excess_l1.high, 3100);
}

TEST(Demand, CoalescedSectorsTakeADeeperLevelFirst) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 3200).Metric("l2_sectors_from_l1", 1000);
  k.Metric("sass_global_sectors", 3200).Metric("sass_global_sectors_ideal", 400).Metric("dram_read_bytes", 300 * 32);
  EXPECT_DOUBLE_EQ(At(Of(k).useful_l2), 400);
  EXPECT_DOUBLE_EQ(At(Of(k).excess_l2), 600);
  EXPECT_DOUBLE_EQ(At(Of(k).useful_dram), 300);
  EXPECT_DOUBLE_EQ(At(Of(k).excess_dram), 0);
}

TEST(Demand, LocalAndGlobalSectorsMissL1Alike) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 300).Metric("local_store_sectors", 100);
  k.Metric("l2_sectors_from_l1", 80).Metric("dram_write_bytes", 40 * 32);
  EXPECT_DOUBLE_EQ(At(Of(k).local_l2), 20);
  EXPECT_DOUBLE_EQ(At(Of(k).useful_l2), 60);
  EXPECT_DOUBLE_EQ(At(Of(k).local_dram), 10);
}

TEST(Demand, SectorsOfL2AreThoseFromL1AndNoMoreThanAllWhereTheyWereNotToldApart) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 300).Metric("l2_sectors", 250);
  EXPECT_DOUBLE_EQ(At(Of(k.Metric("l2_sectors_from_l1", 200)).useful_l2), 200);
  EXPECT_DOUBLE_EQ(At(Of(k.Metric("l1_sectors_miss", 220)).useful_l2), 220) << "merged misses wait all the same";
  k.Remove("l2_sectors_from_l1");
  EXPECT_EQ(Of(k).useful_l2.low, 220);
  EXPECT_EQ(Of(k).useful_l2.high, 250);
}

TEST(Demand, SectorsOfAtomicsAreNoTrafficOfTheAccessesBesideThem) {
  KernelBuilder k = Kernel().Metric("global_load_sectors", 100).Metric("global_load_requests", 25);
  k.Metric("l1_sectors_hit", 0).Metric("l1_sectors_miss", 900).Metric("l2_sectors", 1000);
  k.Metric("l2_sectors_from_l1", 900).Metric("global_red_requests", 25).Metric("global_red_sectors", 800);
  k.Metric("sass_global_sectors", 900).Metric("sass_global_sectors_ideal", 900);
  const Demand d = Of(k);
  EXPECT_DOUBLE_EQ(At(d.atomic_sectors), 800);
  EXPECT_DOUBLE_EQ(At(d.sectors_l2), 100);
  EXPECT_DOUBLE_EQ(At(d.useful_l2), 100);
}

TEST(Demand, OfLocalMemoryIsNoneWhereNoInstructionNamesIt) {
  KernelBuilder k = Kernel().Remove("local_load_sectors").Remove("local_store_requests");
  EXPECT_EQ(At(Of(k).local_l1), 0);
  k.Metric("local_load_inst", 10).Metric("local_load_requests", 10).Metric("l1_sectors_hit", 400);
  EXPECT_EQ(Of(k).local_l1.low, 0);
  EXPECT_GT(Of(k).local_l1.high, 10);
}

TEST(Demand, HalvesThatWereNotCountedAreWhatTheirPipesLeave) {
  KernelBuilder k = Kernel().Metric("pipe_fma_inst", 300).Metric("fp32_thread_inst", 100 * 32);
  k.Metric("tensor_hmma_inst", 50).Metric("tensor_hfma2_inst", 50).Remove("fp16_thread_inst");
  EXPECT_EQ(Of(k).fp16.low, 0);
  EXPECT_EQ(Of(k).fp16.high, 250);
  EXPECT_EQ(Of(k).other.low, 650);
  EXPECT_EQ(Of(k).other.high, 900);
  EXPECT_EQ(At(Of(k.Metric("fp16_thread_inst", 40 * 32)).fp16), 40);
}

TEST(Demand, NamesWhatItLacks) {
  EXPECT_TRUE(Of(Kernel()).missing.empty());
  EXPECT_TRUE(Of(Kernel().Missing("imc_misses", ReadingStatus::kFailed)).missing.contains("imc_misses"));
}

TEST(Demand, OfAnInstructionThatAChipDoesNotHaveIsNone) {
  KernelBuilder k = Kernel().Missing("tensor_gmma_inst", ReadingStatus::kUnsupported).Metric("tensor_hmma_inst", 70);
  EXPECT_FALSE(Of(k).tensor.IsPoint()) << "Hopper has it";
  k.record.run.run.device->cc_major = 8;
  EXPECT_EQ(At(Of(k).tensor), 70);
}

}  // namespace
}  // namespace culprit
