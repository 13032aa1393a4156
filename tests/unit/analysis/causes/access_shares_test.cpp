// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/access_shares.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using testing::KernelBuilder;
using testing::Quiet;

TEST(AccessShares, TheQueueOfTheIoUnitBelongsToSharedMemoryWhenThereIsNoLocal) {
  const KernelBuilder k = Quiet().Metric("stall_mio_throttle", 200).Metric("shared_load_inst", 10);
  EXPECT_DOUBLE_EQ(SharedWaitUs(KernelView(k.record)), 20);
  EXPECT_DOUBLE_EQ(LocalWaitUs(KernelView(k.record)), 0);
}

TEST(AccessShares, TheQueueBelongsToNobodyWhenNothingOfOnesOwnPassesIt) {
  const KernelBuilder k = Quiet().Metric("stall_mio_throttle", 200).Metric("stall_short_scoreboard", 100);
  EXPECT_DOUBLE_EQ(SharedWaitUs(KernelView(k.record)), 0);
  EXPECT_DOUBLE_EQ(LocalWaitUs(KernelView(k.record)), 0);
}

TEST(AccessShares, SpecialFunctionsHaveTheirPartOfTheQueue) {
  const KernelBuilder k = Quiet()
                              .Metric("stall_mio_throttle", 200)
                              .Metric("stall_short_scoreboard", 100)
                              .Metric("shared_load_inst", 10)
                              .Metric("local_load_inst", 10)
                              .Metric("pipe_xu_inst", 30);
  EXPECT_DOUBLE_EQ(SharedWaitUs(KernelView(k.record)), 0.2 * 20 + 0.25 * 10);
  EXPECT_DOUBLE_EQ(LocalWaitUs(KernelView(k.record)), 0.2 * 20);
}

TEST(AccessShares, MatrixLoadsAndAtomicsAreSharedInstructions) {
  const KernelBuilder k = Quiet().Metric("shared_ldsm_inst", 3).Metric("shared_atom_inst", 4);
  EXPECT_DOUBLE_EQ(SharedInstructions(KernelView(k.record)), 7);
}

TEST(AccessShares, MissingExactCountsAreMissingSharesAndNotZero) {
  KernelBuilder k = Quiet();
  k.Remove("sass_global_sectors").Missing("sass_shared_wavefronts", ReadingStatus::kDenied);
  EXPECT_EQ(ExcessShare(KernelView(k.record)).absence(), Absence::kNotAsked);
  EXPECT_EQ(ConflictShare(KernelView(k.record)).absence(), Absence::kDenied);
}

TEST(AccessShares, AUnitWhoseCounterIsMissingHasNoBusyTime) {
  KernelBuilder k = Quiet();
  k.Remove("l1_throughput_pct").Remove("l2_throughput_pct").Remove("dram_read_bytes").Remove("shared_wavefronts_pct");
  const KernelView view(k.record);
  EXPECT_FALSE(SharedBusy(view));
  EXPECT_FALSE(L1Busy(view));
  EXPECT_FALSE(L2Busy(view));
  EXPECT_FALSE(DramBusy(view));
  EXPECT_TRUE(LargestShare(view, &BusyTime::rest_us).name.empty());
}

TEST(AccessShares, RefuseARuleThatDoesNotNameTheStallsThatItSharesOut) {
  KernelBuilder k = Quiet();
  k.Remove("stall_mio_throttle");
  EXPECT_THROW(SharedWaitUs(KernelView(k.record)), std::logic_error);
}

TEST(AccessShares, TheLargestShareIsThatOfTheLevelThatItFillsMost) {
  const KernelBuilder k =
      Quiet().Metric("l1_throughput_pct", 70).Metric("l2_throughput_pct", 90).Metric("local_load_sectors", 3000);
  const LevelShare share = LargestShare(KernelView(k.record), &BusyTime::local_us);
  EXPECT_EQ(share.name, "L2");
  EXPECT_DOUBLE_EQ(share.time_us, 67.5);
}

RC_GTEST_PROP(AccessShares, PartsOfABusyTimeAreNotNegativeAndSumToIt, ()) {
  const auto number = [](const char* id) { return std::pair(std::string(id), *rc::gen::inRange(0, 100000)); };
  KernelBuilder k = Quiet();
  for (const char* id : {"local_load_sectors", "global_load_sectors", "l2_sectors", "sass_global_sectors_ideal",
                         "dram_read_bytes", "sass_shared_wavefronts_ideal"}) {
    const auto [name, value] = number(id);
    k.Metric(name, value);
  }
  k.Metric("sass_shared_wavefronts", 100000);
  for (const char* id : {"l1_throughput_pct", "l2_throughput_pct", "shared_wavefronts_pct"})
    k.Metric(id, *rc::gen::inRange(0, 101));
  const KernelView view(k.record);
  for (const auto& busy : {SharedBusy(view), L1Busy(view), L2Busy(view), DramBusy(view)}) {
    RC_ASSERT(busy.has_value());
    for (const double part : {busy->shared_us, busy->local_us, busy->excess_us, busy->rest_us})
      RC_ASSERT(part >= -1e-9);
    RC_ASSERT(std::abs(busy->shared_us + busy->local_us + busy->excess_us + busy->rest_us - busy->total_us) < 1e-9);
  }
}

}  // namespace
}  // namespace culprit
