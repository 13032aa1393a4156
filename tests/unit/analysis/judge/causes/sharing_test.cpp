// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/sharing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <stdexcept>

#include "analysis/judge/causes/rooms.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using testing::KernelBuilder;
using testing::Quiet;

double SharedWaitUs(const KernelBuilder& k) {
  const KernelView view(k.record);
  return Sharing(view).WaitUs({"short_scoreboard", "mio_throttle"}, kSharedCauses);
}
double LocalWaitUs(const KernelBuilder& k) {
  const KernelView view(k.record);
  return Sharing(view).WaitUs({"mio_throttle"}, kLocalCauses);
}

KernelBuilder Issuing(double instructions) {
  return Quiet().Metric("inst_issued", instructions).Metric("fp32_thread_inst", 0).Metric("ffma_thread_inst", 0);
}

TEST(Sharing, TheQueueOfTheIoUnitBelongsToSharedMemoryWhenThereIsNoLocal) {
  const KernelBuilder k =
      Issuing(100).Metric("stall_mio_throttle", 200).Metric("shared_load_inst", 10).Metric("shared_wavefronts", 10);
  EXPECT_DOUBLE_EQ(SharedWaitUs(k), 20);
  EXPECT_DOUBLE_EQ(LocalWaitUs(k), 0);
}

TEST(Sharing, TheQueueBelongsToNobodyWhenNothingOfOnesOwnPassesIt) {
  const KernelBuilder k = Issuing(100).Metric("stall_mio_throttle", 200).Metric("stall_short_scoreboard", 100);
  EXPECT_DOUBLE_EQ(SharedWaitUs(k), 0);
  EXPECT_DOUBLE_EQ(LocalWaitUs(k), 0);
}

TEST(Sharing, SpecialFunctionsAndLocalMemoryHaveTheirPartOfTheQueue) {
  // Cycles of the data pipe: a wavefront takes one, a special function two; a local access one place in the queue.
  const KernelBuilder k = Issuing(100)
                              .Metric("stall_mio_throttle", 200)
                              .Metric("stall_short_scoreboard", 100)
                              .Metric("shared_load_inst", 10)
                              .Metric("shared_wavefronts", 10)
                              .Metric("local_load_inst", 10)
                              .Metric("pipe_xu_inst", 15);
  EXPECT_DOUBLE_EQ(SharedWaitUs(k), 0.2 * 20 + 0.25 * 10);
  EXPECT_DOUBLE_EQ(LocalWaitUs(k), 0.2 * 20);
}

TEST(Sharing, OfWhatWasNotCountedACauseHasTheLeastThatItCanHave) {
  KernelBuilder k = Issuing(100)
                        .Metric("stall_mio_throttle", 200)
                        .Metric("shared_load_inst", 10)
                        .Metric("shared_wavefronts", 10)
                        .Remove("pipe_xu_inst");
  // All of the other 90 may be special functions.
  EXPECT_DOUBLE_EQ(SharedWaitUs(k), 20 * 10 / (10 + 2 * 90.0));
}

TEST(Sharing, WithoutExactCountsAllIsNeeded) {
  KernelBuilder k = Issuing(100).Metric("shared_load_inst", 10).Metric("shared_wavefronts", 40);
  k.Remove("sass_shared_wavefronts").Remove("sass_global_sectors");
  const KernelView view(k.record);
  EXPECT_EQ(Sharing(view).Of(Wait::kQueue, kConflictCause), 0);
  EXPECT_EQ(Sharing(view).Of(Wait::kQueue, kTrafficCause), 1);
  EXPECT_EQ(Sharing(view).Of(Wait::kMemory, kExcessCause), 0);
}

TEST(Sharing, MissingExactCountsAreMissingSharesAndNotZero) {
  KernelBuilder k = Quiet();
  k.Remove("sass_global_sectors").Missing("sass_shared_wavefronts", ReadingStatus::kDenied);
  EXPECT_EQ(ExcessShare(KernelView(k.record)).absence(), Absence::kNotAsked);
  EXPECT_EQ(ConflictShare(KernelView(k.record)).absence(), Absence::kDenied);
}

TEST(Sharing, AUnitWhoseCounterIsMissingHasNoBusyTime) {
  KernelBuilder k = Quiet();
  k.Remove("l1_throughput_pct").Remove("l2_throughput_pct").Remove("dram_read_bytes");
  k.Remove("shared_wavefronts_pct").Remove("shared_wavefronts");
  const KernelView kernel(k.record);
  const Sharing view(kernel);
  EXPECT_FALSE(SharedBusy(view));
  EXPECT_FALSE(L1Busy(view));
  EXPECT_FALSE(L2Busy(view));
  EXPECT_FALSE(DramBusy(view));
  EXPECT_TRUE(LargestShare(view, &BusyTime::rest_us).name.empty());
}

TEST(Sharing, RefuseARuleThatDoesNotNameTheStallsThatItSharesOut) {
  KernelBuilder k = Quiet();
  k.Remove("stall_mio_throttle");
  EXPECT_THROW(SharedWaitUs(k), std::logic_error);
}

TEST(Sharing, TheLargestShareIsThatOfTheLevelThatItFillsMost) {
  const KernelBuilder k =
      Quiet().Metric("l1_throughput_pct", 70).Metric("l2_throughput_pct", 90).Metric("local_load_sectors", 3000);
  const KernelView view(k.record);
  const LevelShare share = LargestShare(Sharing(view), &BusyTime::local_us);
  EXPECT_EQ(share.name, "L2");
  EXPECT_DOUBLE_EQ(share.time_us, 67.5);
}

RC_GTEST_PROP(Sharing, PartsOfABusyTimeAreNotNegativeAndSumToIt, ()) {
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
  const KernelView kernel(k.record);
  const Sharing view(kernel);
  for (const auto& busy : {SharedBusy(view), L1Busy(view), L2Busy(view), DramBusy(view)}) {
    RC_ASSERT(busy.has_value());
    for (const double part : {busy->shared_us, busy->local_us, busy->excess_us, busy->rest_us})
      RC_ASSERT(part >= -1e-9);
    RC_ASSERT(std::abs(busy->shared_us + busy->local_us + busy->excess_us + busy->rest_us - busy->total_us) < 1e-9);
  }
}

}  // namespace
}  // namespace culprit
