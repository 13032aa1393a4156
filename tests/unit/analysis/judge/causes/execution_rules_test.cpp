// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/gain.h"
#include "tests/support/rules_test.h"

namespace culprit::testing {
namespace {

using ::testing::HasSubstr;

TEST(ExposedLatency, SpeaksWhenFewWarpsWaitForGlobalMemory) {
  const auto f =
      Judge("exposed_latency", Quiet().Metric("stall_long_scoreboard", 500).Metric("achieved_occupancy_pct", 25));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 50);
}

TEST(ExposedLatency, StaysSilentBelowATenthOfTheTime) {
  EXPECT_FALSE(
      Judge("exposed_latency", Quiet().Metric("stall_long_scoreboard", 95).Metric("achieved_occupancy_pct", 25)));
}

TEST(ExposedLatency, StaysSilentWhenTheSmIsFullOfWarps) {
  EXPECT_FALSE(Judge("exposed_latency", Quiet().Metric("stall_long_scoreboard", 500)));
}

TEST(ExposedLatency, StaysSilentWhenTheWaitingIsForLocalMemory) {
  EXPECT_FALSE(Judge("exposed_latency", Quiet()
                                            .Metric("stall_long_scoreboard", 500)
                                            .Metric("achieved_occupancy_pct", 25)
                                            .Metric("local_load_sectors", 9000)));
}

KernelBuilder Waiting(double occupancy) {
  return Quiet()
      .Metric("stall_long_scoreboard", 150)
      .Metric("stall_short_scoreboard", 150)
      .Attribute("theoretical_occupancy", occupancy, "model");
}

TEST(OccupancyRegisters, NamesRegistersWhenTheyAreTheLimit) {
  const auto f = Judge("occupancy_registers",
                       Waiting(0.25).Attribute("registers", 122).Attribute("blocks_per_sm_by_registers", 2, "model"));
  ASSERT_TRUE(f);
  EXPECT_FALSE(f->weight_us);
  EXPECT_EQ(f->text,
            "122 registers per thread allow no more than 2 blocks per SM, 25.0 % of its warps, while 30.0 % of the "
            "warp time waits for "
            "memory.");
}

TEST(OccupancyRegisters, StaysSilentWhenNobodyWaits) {
  EXPECT_FALSE(Judge(
      "occupancy_registers",
      Quiet().Attribute("theoretical_occupancy", 0.25, "model").Attribute("blocks_per_sm_by_registers", 2, "model")));
}

TEST(OccupancyRegisters, StaysSilentWhenSomethingElseIsTheLimit) {
  EXPECT_FALSE(Judge("occupancy_registers", Waiting(0.25).Attribute("blocks_per_sm_by_shared", 2, "model")));
}

TEST(OccupancyShared, NamesSharedMemoryWhenItIsTheLimit) {
  const auto f =
      Judge("occupancy_shared",
            Waiting(0.25).Attribute("static_shared_bytes", 65536).Attribute("blocks_per_sm_by_shared", 2, "model"));
  ASSERT_TRUE(f);
  EXPECT_THAT(f->text, HasSubstr("65,536 B of shared memory per block allow no more than 2 blocks"));
}

TEST(OccupancyShared, StaysSilentWhenOccupancyIsNotLow) {
  EXPECT_FALSE(Judge("occupancy_shared", Waiting(0.75).Attribute("blocks_per_sm_by_shared", 2, "model")));
}

TEST(OccupancyBlock, NamesTheBlockSizeWhenBlocksRunOut) {
  const auto f = Judge("occupancy_block", Waiting(0.4)
                                              .Attribute("block_threads", 32, "model")
                                              .Attribute("blocks_per_sm_by_registers", 64, "model")
                                              .Attribute("blocks_per_sm_by_warps", 64, "model")
                                              .Attribute("blocks_per_sm_by_blocks", 32, "model"));
  ASSERT_TRUE(f);
  EXPECT_THAT(f->text, HasSubstr("Blocks of 32 threads allow no more than 32 blocks"));
}

TEST(OccupancyBlock, StaysSilentWhenRegistersAreTheLimit) {
  EXPECT_FALSE(Judge("occupancy_block", Waiting(0.25).Attribute("blocks_per_sm_by_registers", 2, "model")));
}

TEST(ImbalanceTail, SpeaksWhenSmsRunOutOfBlocks) {
  const auto f = Judge("imbalance_tail",
                       Quiet().Metric("sm_cycles_active_min", 6e4, "cycle").Metric("smsp_cycles_active", 3e5, "cycle"));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 25);
  EXPECT_THAT(f->text, HasSubstr("256 blocks on 132 SMs, 0.242 waves"));
}

TEST(ImbalanceTail, SpeaksOfALongKernelBehindAShortOneAndNotOfManyShortOnes) {
  KernelBuilder k = Quiet().Metric("sm_cycles_active_min", 6e4, "cycle").Metric("launch_kernels", 2);
  const double elapsed = *KernelView(k.record).Get("smsp_cycles_elapsed");
  EXPECT_TRUE(Judge("imbalance_tail", k.Metric("smsp_cycles_active", 0.94 * elapsed, "cycle")));
  EXPECT_FALSE(Judge("launch", k));
  EXPECT_FALSE(Judge("imbalance_tail", k.Metric("smsp_cycles_active", 0.5 * elapsed, "cycle")));
  EXPECT_TRUE(Judge("launch", k));
}

TEST(ImbalanceTail, StaysSilentWhenAllSmsWorkAlike) {
  EXPECT_FALSE(Judge("imbalance_tail", Quiet().Metric("sm_cycles_active_min", 95000, "cycle")));
}

TEST(ImbalanceTail, NamesTheBlocksOfAKernelWhoseOccupancyIsUnknown) {
  KernelBuilder k = Quiet().Metric("sm_cycles_active_min", 6e4, "cycle").Metric("smsp_cycles_active", 3e5, "cycle");
  k.Remove("blocks_per_sm_by_registers");
  EXPECT_EQ(Judge("imbalance_tail", k)->brief, "256 blocks on 132 SMs: 25.0 % of the time without a warp");
}

TEST(Barrier, SpeaksAboveATenthOfTheTime) {
  EXPECT_DOUBLE_EQ(*Judge("barrier", Quiet().Metric("stall_barrier", 200))->weight_us, 20);
}
TEST(Barrier, SaysThatProductsOfWarpgroupsAreAwaitedInTheSameState) {
  KernelBuilder k = Quiet().Metric("stall_barrier", 200);
  const KernelView plain(k.record);
  EXPECT_TRUE(EstimateGain(plain, FindCause("barrier")->gain));
  k.Metric("tensor_gmma_inst", 10);
  EXPECT_THAT(Judge("barrier", k)->text, ::testing::HasSubstr("or for matrix products of warpgroups"));
  const KernelView products(k.record);
  EXPECT_FALSE(EstimateGain(products, FindCause("barrier")->gain)) << "how much of it is barriers' is not known";
}

TEST(Barrier, StaysSilentBelow) { EXPECT_FALSE(Judge("barrier", Quiet().Metric("stall_barrier", 90))); }

TEST(FmaPipe, IsGoodNewsNearThePeak) {
  // 1e5 cycles x 132 SMs x 128 lanes
  const auto f = Judge("fma_pipe", Quiet().Metric("ffma_thread_inst", 0.8 * 1e5 * 132 * 128));
  ASSERT_TRUE(f);
  EXPECT_NEAR(*f->weight_us, 80, 1e-9);
  EXPECT_THAT(f->text, ::testing::StartsWith("Good:"));
}
TEST(FmaPipe, StaysSilentFarFromThePeak) {
  EXPECT_FALSE(Judge("fma_pipe", Quiet().Metric("ffma_thread_inst", 0.5 * 1e5 * 132 * 128)));
}

TEST(Fp64Pipe, SpeaksAboutDoublePrecisionInTheMix) {
  // 2 % of what is issued, which takes 40 us; in 60 us of waiting for a latency that is known each counts twice; in the
  // pipes, where 30 us are waited, each for two cycles as other instructions, 38 %, and FP32 ones for one.
  EXPECT_DOUBLE_EQ(
      *Judge("fp64_pipe", Quiet().Metric("pipe_fp64_inst", 2e4).Metric("stall_math_pipe_throttle", 300))->weight_us,
      40 * 0.02 + 60 * 4e4 / (4e4 + 9.8e5) + 30 * 4e4 / (4e4 + 7.6e5 + 6e5));
}
TEST(Fp64Pipe, StaysSilentAboutAHandful) { EXPECT_FALSE(Judge("fp64_pipe", Quiet().Metric("pipe_fp64_inst", 100))); }

TEST(SfuPipe, SpeaksAboutManySpecialFunctions) {
  const auto f =
      Judge("sfu_pipe",
            Quiet().Metric("pipe_xu_inst", 1e5).Metric("shared_load_inst", 1e5).Metric("stall_mio_throttle", 200));
  ASSERT_TRUE(f);
  // Two thirds of 20 us in the queue, where each takes two cycles, and a tenth of what is issued.
  EXPECT_DOUBLE_EQ(*f->weight_us, 20 * 2 / 3.0 + 10);
}
TEST(SfuPipe, StaysSilentAboutAFew) {
  EXPECT_FALSE(Judge("sfu_pipe", Quiet().Metric("pipe_xu_inst", 1e4).Metric("stall_mio_throttle", 200)));
}

TEST(InstructionCount, SpeaksWhenIssueSlotsAreFullOfOtherInstructions) {
  const auto f = Judge("instruction_count", Quiet()
                                                .Metric("issue_slot_pct", 80, "%")
                                                .Metric("ffma_thread_inst", 32e6 * 0.25)
                                                .Metric("fp32_thread_inst", 32e6 * 0.25));
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(*f->weight_us, 60);  // 3/4 of 80 us
}
TEST(InstructionCount, StaysSilentWhenIssueSlotsAreFree) {
  EXPECT_FALSE(
      Judge("instruction_count", Quiet().Metric("issue_slot_pct", 40, "%").Metric("ffma_thread_inst", 32e6 * 0.25)));
}
TEST(InstructionCount, StaysSilentAboutAKernelThatDoesNoFfma) {
  EXPECT_FALSE(Judge("instruction_count", Quiet().Metric("issue_slot_pct", 80, "%").Metric("ffma_thread_inst", 0)));
}

TEST(Divergence, SpeaksBelowTwentyEightThreads) {
  EXPECT_TRUE(Judge("divergence", Quiet().Metric("threads_per_inst", 20)));
}
TEST(Divergence, StaysSilentAboutFullWarps) {
  EXPECT_FALSE(Judge("divergence", Quiet().Metric("threads_per_inst", 31)));
}

TEST(MemoryFence, SpeaksAboveATwentiethOfTheTime) {
  EXPECT_DOUBLE_EQ(*Judge("memory_fence", Quiet().Metric("stall_membar", 80))->weight_us, 8);
}
TEST(MemoryFence, StaysSilentBelow) { EXPECT_FALSE(Judge("memory_fence", Quiet().Metric("stall_membar", 20))); }

TEST(InstructionCache, SpeaksAboveATwentiethOfTheTime) {
  EXPECT_DOUBLE_EQ(*Judge("instruction_cache", Quiet().Metric("stall_no_instruction", 80))->weight_us, 8);
}
TEST(InstructionCache, StaysSilentBelow) {
  EXPECT_FALSE(Judge("instruction_cache", Quiet().Metric("stall_no_instruction", 20)));
}

TEST(ConstantCache, SpeaksAboveATwentiethOfTheTime) {
  EXPECT_DOUBLE_EQ(*Judge("constant_cache", Quiet().Metric("stall_imc_miss", 80))->weight_us, 8);
}
TEST(ConstantCache, StaysSilentBelow) { EXPECT_FALSE(Judge("constant_cache", Quiet().Metric("stall_imc_miss", 20))); }

TEST(RegisterBankDispatch, SpeaksAboveATwentiethOfTheTime) {
  EXPECT_DOUBLE_EQ(*Judge("register_bank_dispatch", Quiet().Metric("stall_dispatch_stall", 80))->weight_us, 8);
}
TEST(RegisterBankDispatch, StaysSilentBelow) {
  EXPECT_FALSE(Judge("register_bank_dispatch", Quiet().Metric("stall_dispatch_stall", 20)));
}

}  // namespace
}  // namespace culprit::testing
