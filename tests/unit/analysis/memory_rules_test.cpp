// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analysis/rules_test.h"

namespace culprit::testing {
namespace {

using ::testing::HasSubstr;

KernelBuilder LocalTraffic() {
  KernelBuilder k = Quiet();
  k.Attribute("stack_frame_bytes", 256).Metric("stall_long_scoreboard", 400).Metric("stall_lg_throttle", 100);
  k.Metric("local_load_sectors", 2000).Metric("local_store_sectors", 1000);  // three quarters of all
  k.Metric("local_load_inst", 500).Metric("local_store_inst", 250);
  return k;
}

TEST(LocalMemoryArray, BlamesAStackFrameWithoutSpillsForItsShareOfTheWaiting) {
  const auto f = Judge("local_memory_array", LocalTraffic());
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 37.5);  // 3/4 of 50 us
  EXPECT_EQ(f->text,
            "An array of 256 B per thread lives in local memory although nothing was spilled: 750 local loads and "
            "stores make "
            "75.0 % of the sectors at L1, and 37.50 us of the time waits for them.");
}

TEST(LocalMemoryArray, StaysSilentAboutSpills) {
  EXPECT_FALSE(Judge("local_memory_array", LocalTraffic().Attribute("spill_store_bytes", 64)));
}

TEST(LocalMemoryArray, StaysSilentWhenTheFrameIsHardlyUsed) {
  EXPECT_FALSE(
      Judge("local_memory_array", LocalTraffic().Metric("local_load_sectors", 5).Metric("local_store_sectors", 0)));
}

TEST(LocalMemorySpill, BlamesSpilledRegisters) {
  const auto f =
      Judge("local_memory_spill", LocalTraffic().Attribute("spill_store_bytes", 64).Attribute("spill_load_bytes", 128));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 37.5);
  EXPECT_THAT(f->text, HasSubstr("64 B of stores and 128 B of loads"));
}

TEST(LocalMemorySpill, StaysSilentAboutAStackFrameWithoutSpills) {
  EXPECT_FALSE(Judge("local_memory_spill", LocalTraffic()));
}

KernelBuilder SharedWait() {
  KernelBuilder k = Quiet();
  return k.Metric("stall_short_scoreboard", 100).Metric("stall_mio_throttle", 200);
}

TEST(SharedTraffic, SpeaksWhenSharedMemoryIsBusyMostOfTheTime) {
  const auto f = Judge("shared_traffic", Quiet().Metric("shared_wavefronts_pct", 72).Metric("shared_wavefronts", 1e6));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 72);
}

TEST(SharedTraffic, StaysSilentBelowSixtyPercent) {
  EXPECT_FALSE(Judge("shared_traffic", Quiet().Metric("shared_wavefronts_pct", 59.9)));
}

TEST(SharedBankConflicts, TakesTheExcessShareOfTheWaitingForSharedMemory) {
  const auto f = Judge("shared_bank_conflicts",
                       SharedWait().Metric("sass_shared_wavefronts", 1000).Metric("sass_shared_wavefronts_ideal", 600));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 12);  // 40 % of 30 us
}

TEST(SharedBankConflicts, StaysSilentAboutAFewConflicts) {
  EXPECT_FALSE(Judge("shared_bank_conflicts",
                     SharedWait().Metric("sass_shared_wavefronts", 1000).Metric("sass_shared_wavefronts_ideal", 950)));
}

TEST(SharedBankConflicts, StaysSilentWhenNobodyWaitsForSharedMemory) {
  EXPECT_FALSE(Judge("shared_bank_conflicts",
                     Quiet().Metric("sass_shared_wavefronts", 1000).Metric("sass_shared_wavefronts_ideal", 500)));
}

TEST(SharedBankConflicts, DoesNotTrustTheHardwareCounter) {
  EXPECT_FALSE(Judge("shared_bank_conflicts", SharedWait().Metric("shared_conflicts_hw", 1e6)));
}

TEST(SharedAccessWidth, SpeaksWhenNarrowAccessesFillTheQueue) {
  const auto f = Judge("shared_access_width", SharedWait()
                                                  .Metric("sass_memory_32b_inst", 900)
                                                  .Metric("sass_memory_128b_inst", 100)
                                                  .Metric("sass_shared_inst", 800));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 18);  // 90 % of 20 us
}

TEST(SharedAccessWidth, StaysSilentWhenMostAccessesAreWide) {
  EXPECT_FALSE(Judge("shared_access_width", SharedWait()
                                                .Metric("sass_memory_32b_inst", 100)
                                                .Metric("sass_memory_128b_inst", 900)
                                                .Metric("sass_shared_inst", 800)));
}

TEST(SharedAccessWidth, StaysSilentWhenTheNarrowOnesAreNotShared) {
  EXPECT_FALSE(Judge("shared_access_width", SharedWait()
                                                .Metric("sass_memory_32b_inst", 900)
                                                .Metric("sass_memory_128b_inst", 100)
                                                .Metric("sass_shared_inst", 100)));
}

TEST(GlobalUncoalesced, TakesTheExcessShareOfTheWaitingForGlobalMemory) {
  KernelBuilder k = Quiet();
  k.Metric("stall_long_scoreboard", 400).Metric("sass_global_sectors", 8000).Metric("sass_global_sectors_ideal", 1000);
  const auto f = Judge("global_uncoalesced", k);
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 35);  // 7/8 of 40 us
}

TEST(GlobalUncoalesced, LeavesTheWaitingForLocalMemoryOut) {
  KernelBuilder k = Quiet();
  k.Metric("stall_long_scoreboard", 400).Metric("sass_global_sectors", 8000).Metric("sass_global_sectors_ideal", 1000);
  k.Metric("local_load_sectors", 3000);  // global has 1000 of 4000
  EXPECT_DOUBLE_EQ(*Judge("global_uncoalesced", k)->weight_us, 8.75);
}

TEST(GlobalUncoalesced, StaysSilentAboutMisalignedRows) {
  EXPECT_FALSE(Judge("global_uncoalesced",
                     Quiet().Metric("sass_global_sectors", 1250).Metric("sass_global_sectors_ideal", 1000)));
}

TEST(GlobalAccessWidth, SpeaksWhenManyNarrowAccessesFillTheQueue) {
  const auto f =
      Judge("global_access_width", Quiet().Metric("stall_lg_throttle", 300).Metric("sass_memory_32b_inst", 900));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 30);
}

TEST(GlobalAccessWidth, StaysSilentWhenTheQueueHasRoom) {
  EXPECT_FALSE(
      Judge("global_access_width", Quiet().Metric("stall_lg_throttle", 50).Metric("sass_memory_32b_inst", 900)));
}

TEST(GlobalAccessWidth, StaysSilentWhenAccessesAreWide) {
  EXPECT_FALSE(Judge("global_access_width", Quiet().Metric("stall_lg_throttle", 300)));
}

TEST(DramTraffic, SpeaksNearThePeakBandwidth) {
  // 100 us at 3.35 TB/s carry 335 MB.
  const auto f =
      Judge("dram_traffic", Quiet().Metric("dram_read_bytes", 200e6, "byte").Metric("dram_write_bytes", 35e6, "byte"));
  ASSERT_TRUE(f);
  EXPECT_NEAR(*f->weight_us, 70.15, 0.01);
}

TEST(DramTraffic, SpeaksBelowThatWhenTheJobNeedsFarLess) {
  KernelBuilder k = Quiet().Metric("dram_read_bytes", 120e6, "byte");
  k.record.launch.min_bytes = 10e6;
  const auto f = Judge("dram_traffic", k);
  ASSERT_TRUE(f);
  EXPECT_THAT(f->text, HasSubstr("12.100 times what the job needs"));
}

TEST(DramTraffic, StaysSilentWhenTheJobNeedsItAndThereIsRoom) {
  KernelBuilder k = Quiet().Metric("dram_read_bytes", 120e6, "byte");
  k.record.launch.min_bytes = 100e6;
  EXPECT_FALSE(Judge("dram_traffic", k));
}

TEST(L2Traffic, SpeaksAboveSixtyPercent) {
  EXPECT_DOUBLE_EQ(*Judge("l2_traffic", Quiet().Metric("l2_throughput_pct", 65))->weight_us, 65);
}
TEST(L2Traffic, StaysSilentBelow) { EXPECT_FALSE(Judge("l2_traffic", Quiet().Metric("l2_throughput_pct", 55))); }

TEST(L1Traffic, SpeaksWhenL1IsBusyWithSomethingOtherThanSharedMemory) {
  EXPECT_DOUBLE_EQ(*Judge("l1_traffic", Quiet().Metric("l1_throughput_pct", 90))->weight_us, 90);
}
TEST(L1Traffic, StaysSilentWhenItIsSharedMemory) {
  EXPECT_FALSE(Judge("l1_traffic", Quiet().Metric("l1_throughput_pct", 90).Metric("shared_wavefronts_pct", 80)));
}

}  // namespace
}  // namespace culprit::testing
