// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rules_test.h"

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
            "stores make 75.0 % of the sectors at L1, and 37.50 us of the time waits for them.");
  EXPECT_EQ(f->brief, "a 256 B array in local memory: 75.0 % of L1's sectors");
}

TEST(LocalMemoryArray, TakesItsShareOfASaturatedLevelWhereThatIsMore) {
  const KernelBuilder k = LocalTraffic().Metric("l2_throughput_pct", 80);
  const auto f = Judge("local_memory_array", k);
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 60);  // 3/4 of 80 us
  EXPECT_THAT(f->text, HasSubstr("L2 works at 80.0 % of its peak, and they keep it busy for 60.00 us."));
  EXPECT_FALSE(Judge("l2_traffic", k));
}

TEST(LocalMemoryArray, TakesNothingOfALevelThatIsNotSaturated) {
  EXPECT_DOUBLE_EQ(*Judge("local_memory_array", LocalTraffic().Metric("l2_throughput_pct", 59))->weight_us, 37.5);
}

TEST(LocalMemoryArray, WaitsInTheQueueThatItSharesWithSharedMemory) {
  const KernelBuilder k = LocalTraffic().Metric("stall_mio_throttle", 200).Metric("shared_load_inst", 250);
  EXPECT_DOUBLE_EQ(*Judge("local_memory_array", k)->weight_us, 37.5 + 15);  // 3/4 of 20 us
}

TEST(LocalMemoryArray, IsJudgedByItsWaitingAloneWhereNoPercentageOfPeakWasRecorded) {
  KernelBuilder k = LocalTraffic();
  for (const char* id : {"l1_throughput_pct", "l2_throughput_pct", "dram_read_bytes"}) k.Remove(id);
  EXPECT_DOUBLE_EQ(*Judge("local_memory_array", k)->weight_us, 37.5);
}

TEST(LocalMemoryArray, StaysSilentAboutSpills) {
  EXPECT_FALSE(Judge("local_memory_array", LocalTraffic().Attribute("spill_store_bytes", 192)));
}

TEST(LocalMemoryArray, IsWhatMostOfTheFrameHolds) {
  const auto f = Judge("local_memory_array", LocalTraffic().Attribute("spill_store_bytes", 64));
  ASSERT_TRUE(f);
  EXPECT_THAT(f->text, HasSubstr("beside spilled registers"));
  EXPECT_FALSE(Judge("local_memory_spill", LocalTraffic().Attribute("spill_store_bytes", 64)));
}

TEST(LocalMemoryArray, StaysSilentWhenTheFrameIsHardlyUsed) {
  EXPECT_FALSE(
      Judge("local_memory_array", LocalTraffic().Metric("local_load_sectors", 5).Metric("local_store_sectors", 0)));
}

TEST(LocalMemorySpill, BlamesSpilledRegisters) {
  const auto f = Judge("local_memory_spill",
                       LocalTraffic().Attribute("spill_store_bytes", 192).Attribute("spill_load_bytes", 128));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 37.5);
  EXPECT_THAT(f->text, HasSubstr("192 B of stores and 128 B of loads"));
}

TEST(LocalMemorySpill, StaysSilentAboutAStackFrameWithoutSpills) {
  EXPECT_FALSE(Judge("local_memory_spill", LocalTraffic()));
}

KernelBuilder SharedWait() {
  KernelBuilder k = Quiet();
  return k.Metric("stall_short_scoreboard", 100)
      .Metric("stall_mio_throttle", 200)
      .Metric("shared_wavefronts", 1000)
      .Metric("shared_load_inst", 100);
}

TEST(SharedTraffic, SpeaksWhenSharedMemoryIsBusyMostOfTheTime) {
  const auto f = Judge("shared_traffic", Quiet().Metric("shared_wavefronts_pct", 72).Metric("shared_wavefronts", 1e6));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 72);
  // 19.2 M FFMA thread instructions are 0.6 M of a warp; an SM with 128 lanes does 4 in a wavefront's cycle.
  EXPECT_THAT(f->text, HasSubstr("1,000,000 wavefronts, 1.667 for every FFMA instruction where 0.250 would keep pace"));
}

TEST(SharedTraffic, IsJudgedOverTheCyclesInWhichAnSmHasWork) {
  // Half of the SMs have no block: 35 % of all cycles are 70 % of those in which there is work.
  const auto f =
      Judge("shared_traffic", Quiet().Metric("shared_wavefronts_pct", 35).Metric("smsp_cycles_active", 2e5, "cycle"));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 70);
}

TEST(SharedTraffic, StaysSilentWhenSharedMemoryWouldNotBeBusyWithoutBankConflicts) {
  const KernelBuilder k = Quiet()
                              .Metric("shared_wavefronts_pct", 80)
                              .Metric("sass_shared_wavefronts", 1000)
                              .Metric("sass_shared_wavefronts_ideal", 600);
  EXPECT_FALSE(Judge("shared_traffic", k));
  EXPECT_DOUBLE_EQ(*Judge("shared_bank_conflicts", k)->weight_us, 32);  // 40 % of 80 us
}

TEST(SharedTraffic, KeepsWhatConflictsDoNotExplain) {
  const KernelBuilder k = Quiet()
                              .Metric("shared_wavefronts_pct", 90)
                              .Metric("sass_shared_wavefronts", 1000)
                              .Metric("sass_shared_wavefronts_ideal", 800);
  EXPECT_DOUBLE_EQ(*Judge("shared_traffic", k)->weight_us, 72);
  EXPECT_DOUBLE_EQ(*Judge("shared_bank_conflicts", k)->weight_us, 18);
}

TEST(SharedTraffic, TakesAllOfItWhereNoExactCountsWereRecorded) {
  KernelBuilder k = Quiet().Metric("shared_wavefronts_pct", 80);
  k.Remove("sass_shared_wavefronts");
  EXPECT_DOUBLE_EQ(*Judge("shared_traffic", k)->weight_us, 80);
}

TEST(SharedTraffic, SpeaksBelowSixtyPercentWhenAFifthOfTheTimeWaitsForIt) {
  const auto f = Judge("shared_traffic", SharedWait());
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 30);
  // "shared memory 2.5 % busy" was no finding.
  EXPECT_THAT(f->brief, ::testing::StartsWith("30.0 % waits for shared memory, which is "));
}

TEST(SharedTraffic, StaysSilentWhereNothingAccessesSharedMemory) {
  EXPECT_FALSE(Judge("shared_traffic", SharedWait().Metric("shared_load_inst", 0).Metric("shared_wavefronts", 0)));
}

TEST(SharedTraffic, StaysSilentWhereWavefrontsAreNoAccesses) {
  // Uncoalesced global accesses on an H200: 0.9 % of the cycles, and no instruction that loads or stores.
  const KernelBuilder none = SharedWait().Metric("shared_load_inst", 0).Metric("shared_store_inst", 0);
  EXPECT_FALSE(Judge("shared_traffic", KernelBuilder(none).Metric("shared_wavefronts_pct", 0.9)));
  EXPECT_TRUE(Judge("shared_traffic", KernelBuilder(none).Metric("shared_wavefronts_pct", 70)))
      << "matrix units read it";
}

TEST(SharedTraffic, StaysSilentWhenThatWaitingIsForBankConflicts) {
  EXPECT_FALSE(Judge("shared_traffic",
                     SharedWait().Metric("sass_shared_wavefronts", 1000).Metric("sass_shared_wavefronts_ideal", 600)));
}

TEST(SharedTraffic, StaysSilentWhenTheQueueIsFullOfLocalAccesses) {
  EXPECT_FALSE(Judge(
      "shared_traffic",
      SharedWait().Metric("shared_load_inst", 100).Metric("shared_wavefronts", 100).Metric("local_load_inst", 900)));
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
  const auto f =
      Judge("shared_access_width",
            SharedWait().Accesses("shared", 4, 900).Accesses("shared", 16, 100).Metric("sass_shared_inst", 1000));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 18);  // 90 % of 20 us
}

TEST(SharedAccessWidth, CountsAccessesOf8And16Bits) {
  const auto f = Judge("shared_access_width", SharedWait()
                                                  .Accesses("shared", 1, 300)
                                                  .Accesses("shared", 2, 300)
                                                  .Accesses("shared", 16, 400)
                                                  .Metric("sass_shared_inst", 1000));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 12);
}

TEST(SharedAccessWidth, StaysSilentWhenMostAccessesAreWide) {
  EXPECT_FALSE(
      Judge("shared_access_width",
            SharedWait().Accesses("shared", 4, 100).Accesses("shared", 16, 900).Metric("sass_shared_inst", 1000)));
}

TEST(SharedAccessWidth, StaysSilentWhenTheNarrowOnesAreNotShared) {
  EXPECT_FALSE(Judge("shared_access_width", SharedWait()
                                                .Metric("sass_memory_32b_inst", 900)
                                                .Accesses("global", 4, 900)
                                                .Accesses("shared", 16, 100)
                                                .Metric("sass_shared_inst", 100)));
}

TEST(SharedAccessWidth, StaysSilentWhenSharedMemoryIsReadByInstructionsWithoutAWidth) {
  EXPECT_FALSE(Judge("shared_access_width", SharedWait().Accesses("shared", 4, 1000).Metric("sass_shared_inst", 3000)));
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

TEST(GlobalUncoalesced, TakesTheExcessShareOfASaturatedL1) {
  const KernelBuilder k = Quiet()
                              .Metric("l1_throughput_pct", 96)
                              .Metric("global_load_sectors", 7900)
                              .Metric("sass_global_sectors", 8000)
                              .Metric("sass_global_sectors_ideal", 1000);
  const auto f = Judge("global_uncoalesced", k);
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 84);  // 7/8 of 96 us
  EXPECT_THAT(f->text, HasSubstr("L1 works at 96.0 % of its peak, and they keep it busy for 84.00 us."));
  EXPECT_FALSE(Judge("l2_traffic", k));
}

TEST(GlobalUncoalesced, IsNotChargedWithALevelBelowTheCacheThatCatchesTheExcess) {
  // L2 is asked for no more than coalesced accesses would touch.
  const KernelBuilder k = Quiet()
                              .Metric("l2_throughput_pct", 90)
                              .Metric("l2_sectors", 1000)
                              .Metric("global_load_sectors", 7900)
                              .Metric("sass_global_sectors", 8000)
                              .Metric("sass_global_sectors_ideal", 1000)
                              .Metric("stall_long_scoreboard", 80);
  EXPECT_DOUBLE_EQ(*Judge("global_uncoalesced", k)->weight_us, 7);  // of the waiting alone
  EXPECT_DOUBLE_EQ(*Judge("l2_traffic", k)->weight_us, 90);
}

TEST(GlobalUncoalesced, StaysSilentAboutMisalignedRows) {
  EXPECT_FALSE(Judge("global_uncoalesced",
                     Quiet().Metric("sass_global_sectors", 1250).Metric("sass_global_sectors_ideal", 1000)));
}

TEST(GlobalAccessWidth, SpeaksWhenManyNarrowAccessesFillTheQueue) {
  const auto f = Judge("global_access_width", Quiet().Metric("stall_lg_throttle", 300).Accesses("global", 4, 900));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 30);
  EXPECT_THAT(f->text, HasSubstr("90.0 % of the global loads and stores move 32 bits per thread or less."));
}

TEST(GlobalAccessWidth, CountsAccessesOf8And16Bits) {
  EXPECT_TRUE(Judge("global_access_width",
                    Quiet().Metric("stall_lg_throttle", 300).Accesses("global", 1, 100).Accesses("global", 2, 100)));
}

TEST(GlobalAccessWidth, StaysSilentWhenTheNarrowAccessesAreThoseOfOtherMemories) {
  EXPECT_FALSE(
      Judge("global_access_width",
            Quiet().Metric("stall_lg_throttle", 300).Metric("sass_memory_32b_inst", 900).Accesses("shared", 4, 900)));
}

// Without opcodes nobody knows whose widths they are.
TEST(GlobalAccessWidth, IsNotJudgedWithoutTheWidthsOfSingleInstructions) {
  KernelBuilder k = Quiet().Metric("stall_lg_throttle", 300).Metric("sass_memory_32b_inst", 900);
  k.record.accesses.clear();
  EXPECT_EQ(KernelView(k.record).Get("sass_global_narrow_inst").absence(), Absence::kNotAsked);
  k = Quiet().Missing("sass_memory_8b_inst", ReadingStatus::kFailed);
  EXPECT_EQ(KernelView(k.record).Get("sass_global_narrow_inst").absence(), Absence::kFailed);
  const Findings findings = JudgeKernel(KernelView(k.record));
  EXPECT_TRUE(std::ranges::any_of(findings.not_judged, [](const auto& n) { return n.id == "global_access_width"; }));
}

TEST(GlobalAccessWidth, LeavesOutWhatCoalescingWouldFree) {
  const auto f = Judge("global_access_width", Quiet()
                                                  .Metric("stall_lg_throttle", 600)
                                                  .Accesses("global", 4, 900)
                                                  .Metric("sass_global_sectors", 4000)
                                                  .Metric("sass_global_sectors_ideal", 1000));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 15);  // a quarter of 60 us
}

TEST(GlobalAccessWidth, StaysSilentWhenTheQueueHasRoom) {
  EXPECT_FALSE(Judge("global_access_width", Quiet().Metric("stall_lg_throttle", 50).Accesses("global", 4, 900)));
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

TEST(DramTraffic, LeavesLocalMemoryOut) {
  // 70 % of the bandwidth, three quarters of it local; without it the kernel would be far from the peak.
  const KernelBuilder k =
      LocalTraffic().Metric("dram_read_bytes", 200e6, "byte").Metric("dram_write_bytes", 35e6, "byte");
  EXPECT_FALSE(Judge("dram_traffic", k));
  const auto f = Judge("local_memory_array", k);
  EXPECT_NEAR(*f->weight_us, 0.75 * 70.15, 0.01);
  EXPECT_THAT(f->text, HasSubstr("device memory works at 70.1 % of its peak, and they keep it busy"));
}

TEST(L2Traffic, SpeaksAboveSixtyPercent) {
  EXPECT_DOUBLE_EQ(*Judge("l2_traffic", Quiet().Metric("l2_throughput_pct", 65))->weight_us, 65);
}
TEST(L2Traffic, KeepsWhatLocalMemoryDoesNotExplain) {
  KernelBuilder k = Quiet().Metric("l2_throughput_pct", 90).Metric("local_load_sectors", 250);  // a fifth
  const auto f = Judge("l2_traffic", k);
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 72);
  EXPECT_THAT(f->text, HasSubstr("(72.00 us without local memory, excess sectors and shared memory)"));
}
TEST(L2Traffic, StaysSilentBelow) { EXPECT_FALSE(Judge("l2_traffic", Quiet().Metric("l2_throughput_pct", 55))); }

TEST(L1Traffic, SpeaksWhenL1IsBusyWithSomethingOtherThanSharedMemory) {
  const auto f = Judge("l2_traffic", Quiet().Metric("l1_throughput_pct", 90).Metric("global_load_inst", 1200000));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 90);
  EXPECT_THAT(f->text,
              HasSubstr("1,200,000 global loads, 2.000 for every FFMA instruction where 0.250 would keep pace"));
  EXPECT_EQ(f->brief, "L1 at 90.0 % of its peak, 2.000 global loads per FFMA");
}
TEST(L1Traffic, CountsAsynchronousCopiesByTheirRequests) {
  const auto f = Judge(
      "l2_traffic",
      Quiet().Metric("l1_throughput_pct", 90).Metric("global_load_inst", 12).Metric("global_load_requests", 1200000));
  ASSERT_TRUE(f);
  EXPECT_THAT(f->text, HasSubstr("1,200,000 global loads, 2.000 for every FFMA instruction"));
}
TEST(L1Traffic, HasNoRatioToFfmaInAKernelWithoutAny) {
  const auto f = Judge("l2_traffic", Quiet().Metric("l1_throughput_pct", 90).Metric("ffma_thread_inst", 0));
  ASSERT_TRUE(f);
  EXPECT_EQ(f->brief, "L1 at 90.0 % of its peak");
}
TEST(L1Traffic, TakesSharedMemoryOutOverTheCyclesInWhichAnSmHasWork) {
  // Half of the SMs idle: shared memory is busy for 60 % of the working cycles, and the rest of L1 for 30 %.
  EXPECT_FALSE(Judge("l2_traffic", Quiet()
                                       .Metric("l1_throughput_pct", 90)
                                       .Metric("shared_wavefronts_pct", 30)
                                       .Metric("smsp_cycles_active", 2e5, "cycle")));
}
TEST(L1Traffic, StaysSilentWhenItIsSharedMemory) {
  EXPECT_FALSE(Judge("l2_traffic", Quiet().Metric("l1_throughput_pct", 90).Metric("shared_wavefronts_pct", 80)));
}

// A sector takes 1.2 cycles of the link, of the 100,000 cycles in 100 us.
TEST(HostMemory, SpeaksIfTheLinkIsBusyForATenthOfTheTime) {
  const auto f = Judge("host_memory", Quiet().Metric("host_sectors", 50'000));
  ASSERT_TRUE(f);
  EXPECT_NEAR(*f->weight_us, 60.6, 0.1);  // 1.6 MB at 0.2 bytes per cycle of 132 SMs
  EXPECT_THAT(f->text, HasSubstr("1.600 MB are read from or written to memory of the host"));
  EXPECT_FALSE(Judge("host_memory", Quiet().Metric("host_sectors", 8'000)));
}

TEST(L2Camping, SpeaksIfOneSliceIsBusyForATenthOfTheTime) {
  const auto camping = [](double busiest) {
    return Quiet().Metric("l2_slice_requests_max", busiest).Metric("l2_slice_requests_avg", 1'000);
  };
  const auto f = Judge("l2_camping", camping(24'000));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 50);  // 22,000 beyond the even share, 0.44 in a cycle
  EXPECT_THAT(f->text, HasSubstr("One slice of L2 gets 24,000 requests, 24.000 times the average"));
  EXPECT_FALSE(Judge("l2_camping", camping(6'000)));
}

}  // namespace
}  // namespace culprit::testing
