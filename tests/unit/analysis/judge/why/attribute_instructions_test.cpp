// SPDX-License-Identifier: Apache-2.0
// Causes told from the instructions that warps issue and fetch. Units of demand are issue slots, or cycles of its pipe
// where warps wait for one.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/judge/why/attribute.h"
#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::AreUs;
using testing::Attributed;
using testing::KernelBuilder;
using testing::Spending;

KernelBuilder Issuing(double us, double instructions) {
  return Spending("issuing", {{"selected", us}}).Metric("inst_issued", instructions);
}

// As many instructions in all states, so that what else grew is in one of them.
KernelBuilder Waiting(const std::string& state, double us) {
  return Spending("waiting", us > 0 ? testing::Us{{"selected", 40}, {state, us}} : testing::Us{{"selected", 40}});
}

TEST(InstructionCount, TakesTheIssueOfInstructionsThatAreNeitherMemorysNorFloatingPoints) {
  EXPECT_THAT(Attributed(Issuing(40, 1000), Issuing(48, 1200)), AreUs({{"instruction_count", 8}}));
}

TEST(InstructionCount, IsSilentWhereTheSameInstructionsTakeLonger) {
  EXPECT_THAT(Attributed(Waiting("wait", 20), Waiting("wait", 30)), AreUs({{"unexplained", 10}}));
}

TEST(InstructionCount, TakesMoreBranchesThatWarpsResolve) {
  EXPECT_THAT(Attributed(Waiting("branch_resolving", 10).Metric("branch_inst", 100),
                         Waiting("branch_resolving", 20).Metric("branch_inst", 200)),
              AreUs({{"instruction_count", 10}}));
}

TEST(FmaPipe, TakesTheIssueOfMoreFloatingPointWork) {
  // 200 warp instructions of 32 lanes on top of 1,000 others.
  EXPECT_THAT(Attributed(Issuing(40, 1000), Issuing(48, 1200).Metric("ffma_thread_inst", 200 * 32)),
              AreUs({{"fma_pipe", 8}}));
}

TEST(FmaPipe, IsSilentWhereIntegersTakeItsPlace) {
  EXPECT_THAT(Attributed(Issuing(40, 1000).Metric("ffma_thread_inst", 200 * 32), Issuing(48, 1200)),
              AreUs({{"instruction_count", 8}}));
}

TEST(Fp64Pipe, TakesTheWaitingForIt) {
  EXPECT_THAT(
      Attributed(Waiting("math_pipe_throttle", 0), Waiting("math_pipe_throttle", 30).Metric("pipe_fp64_inst", 200)),
      AreUs({{"fp64_pipe", 30}}));
}

TEST(Fp64Pipe, IsSilentWhereAsManyOfItsInstructionsWaitLonger) {
  const auto computing = [](double us) { return Waiting("math_pipe_throttle", us).Metric("pipe_fp64_inst", 200); };
  EXPECT_THAT(Attributed(computing(30), computing(60)), AreUs({{"unexplained", 30}}));
}

TEST(SfuPipe, TakesTheWaitingForItsFewLanes) {
  // 1,000 instructions of 2 cycles become 800 of 2 and 200 of 8: 1,600 cycles came. As 200 issue slots they would not
  // explain three times the waiting.
  EXPECT_THAT(
      Attributed(Waiting("math_pipe_throttle", 20), Waiting("math_pipe_throttle", 60).Metric("pipe_xu_inst", 200)),
      AreUs({{"sfu_pipe", 40}}));
}

TEST(TensorPipe, TakesTheWaitingForMatrixInstructions) {
  // As many cycles of the pipe for each, but few of all.
  const auto multiplying = [](double us, double count) {
    return Waiting("gmma", us)
        .Metric("tensor_gmma_inst", count)
        .Metric("tensor_hmma_inst", count)
        .Metric("tensor_pipe_pct", 0.01 * count / (40 + us), "%");
  };
  EXPECT_THAT(Attributed(multiplying(10, 100), multiplying(20, 200)), AreUs({{"tensor_pipe", 10}}));
  EXPECT_THAT(Attributed(multiplying(10, 100), multiplying(20, 100)), AreUs({{"unexplained", 10}}));
}

// Products of a warpgroup that keep the pipe for `cycles`, in parts.
KernelBuilder Multiplying(double us, double count, double cycles) {
  return Waiting("wgmma", us)
      .Metric("tensor_gmma_inst", count)
      .Metric("tensor_hmma_inst", count)
      .Metric("tensor_pipe_pct", 0.01 * cycles / (40 + us), "%");
}

TEST(TensorPipe, IsSilentWhereMoreProductsAreSmaller) {
  EXPECT_THAT(Attributed(Multiplying(10, 1, 800), Multiplying(20, 8, 800)), AreUs({{"unexplained", 10}}));
}

TEST(ExposedProducts, TakesTheWaitingForTheSameProducts) {
  EXPECT_THAT(Attributed(Multiplying(60, 100, 100), Multiplying(120, 100, 100)), AreUs({{"exposed_products", 60}}));
}

TEST(ExposedProducts, IsSilentWhereProductsAreMore) {
  EXPECT_THAT(Attributed(Multiplying(60, 100, 100), Multiplying(120, 200, 200)), AreUs({{"tensor_pipe", 60}}));
}

TEST(ExposedProducts, IsSilentWhereSomethingElseDelaysThem) {
  // 20 us of issuing more that the waiting for products goes to.
  const auto issuing = [](double work, double us, double instructions) {
    return Spending("multiplying", {{"selected", work}, {"wgmma", us}})
        .Metric("inst_issued", instructions)
        .Metric("tensor_gmma_inst", 100)
        .Metric("tensor_hmma_inst", 100)
        .Metric("tensor_pipe_pct", 1 / (work + us), "%");
  };
  EXPECT_THAT(Attributed(issuing(40, 60, 1000), issuing(60, 120, 1500)), AreUs({{"instruction_count", 80}}));
}

TEST(TensorPipe, IsSilentWherePairsOfHalvesPassIt) {
  const KernelBuilder halves = Issuing(48, 1200).Metric("tensor_hmma_inst", 200).Metric("tensor_hfma2_inst", 200);
  EXPECT_THAT(Attributed(Issuing(40, 1000), halves), AreUs({{"instruction_count", 8}}));
  EXPECT_THAT(Attributed(Issuing(40, 1000), Issuing(48, 1200).Metric("tensor_hmma_inst", 200)),
              AreUs({{"tensor_pipe", 8}}));
}

TEST(Divergence, TakesTheInstructionsThatHalfOfTheLanesNeedForTheSameJob) {
  EXPECT_THAT(Attributed(Issuing(40, 1000), Issuing(80, 2000).Metric("threads_per_inst", 16, "thread")),
              AreUs({{"divergence", 40}}));
}

TEST(Divergence, TakesOfAFourfoldGrowthOnlyWhatAFewLanesNeed) {
  const KernelBuilder candidate = Issuing(160, 4000).Metric("threads_per_inst", 28, "thread");
  const double lanes = 120 * std::log(32.0 / 28) / std::log(4);
  EXPECT_LT(lanes, 12);
  EXPECT_THAT(Attributed(Issuing(40, 1000), candidate),
              AreUs({{"divergence", lanes}, {"instruction_count", 120 - lanes}}));
}

TEST(Divergence, IsSilentWhereFullWarpsIssueMore) {
  EXPECT_THAT(Attributed(Issuing(40, 1000), Issuing(80, 2000)), AreUs({{"instruction_count", 40}}));
}

TEST(Divergence, IsSilentWhereFewerLanesIssueNoMore) {
  EXPECT_THAT(Attributed(Issuing(40, 1000), Issuing(80, 1000).Metric("threads_per_inst", 16, "thread")),
              AreUs({{"unexplained", 40}}));
}

// 1,000 instructions of full warps, and of one thread what copies need.
KernelBuilder CopyingInBulk(double us, double copies, double instructions_of_one) {
  const double all = 1000 + instructions_of_one;
  return Issuing(us, all)
      .Metric("threads_per_inst", (32 * 1000 + instructions_of_one) / all, "thread")
      .Metric("tma_load_inst", copies)
      .Metric("tma_read_bytes", 8192, "byte");
}

TEST(BulkCopySize, TakesTheInstructionsThatMoreCopiesOfTheSameBytesNeed) {
  EXPECT_THAT(Attributed(CopyingInBulk(40, 1, 10), CopyingInBulk(80, 101, 1010)), AreUs({{"bulk_copy_size", 40}}));
}

TEST(BulkCopySize, IsSilentWhereNoMoreCopiesAreMade) {
  EXPECT_FALSE(Attributed(CopyingInBulk(40, 1, 10), CopyingInBulk(80, 1, 1010)).contains("bulk_copy_size"));
}

TEST(BulkCopySize, IsSilentWhereCopiesWereNotCounted) {
  EXPECT_THAT(
      Attributed(CopyingInBulk(40, 1, 10).Remove("tma_load_inst"), CopyingInBulk(80, 101, 1010).Remove("tma_load_inst"))
          .count("bulk_copy_size"),
      0u);
}

TEST(Divergence, IsSilentWhereOneThreadIssuesMoreBulkCopies) {
  EXPECT_FALSE(Attributed(CopyingInBulk(40, 1, 10), CopyingInBulk(80, 101, 1010)).contains("divergence"));
}

TEST(RegisterBankDispatch, TakesWhatDispatchHoldsBackOfTheSameInstructions) {
  EXPECT_THAT(Attributed(Waiting("dispatch_stall", 10), Waiting("dispatch_stall", 30)),
              AreUs({{"register_bank_dispatch", 20}}));
}

TEST(RegisterBankDispatch, IsSilentWhereMoreInstructionsAreDispatched) {
  EXPECT_THAT(Attributed(Waiting("dispatch_stall", 10), Waiting("dispatch_stall", 20).Metric("inst_issued", 2000)),
              AreUs({{"instruction_count", 10}}));
}

TEST(RegisterBankDispatch, IsSilentWhereItFellWhileTheWholeGrew) {
  const auto kernel = [](double dispatch, double wait) {
    return Spending("k", {{"selected", 40}, {"dispatch_stall", dispatch}, {"sleeping", wait}});
  };
  EXPECT_THAT(Attributed(kernel(30, 10), kernel(10, 90)), AreUs({{"unexplained", 60}}));
}

TEST(InstructionCache, TakesTheWaitingForMisses) {
  EXPECT_THAT(Attributed(Waiting("no_instruction", 10).Metric("icc_misses", 100),
                         Waiting("no_instruction", 30).Metric("icc_misses", 400)),
              AreUs({{"instruction_cache", 20}}));
}

TEST(InstructionCache, IsSilentWhereAsMuchMissedWhateverTheSizeOfTheCode) {
  const auto fetching = [](double us, double code_bytes) {
    return Waiting("no_instruction", us).Metric("icc_misses", 100).Attribute("code_bytes", code_bytes);
  };
  EXPECT_THAT(Attributed(fetching(10, 4096), fetching(30, 200 * 1024)), AreUs({{"unexplained", 20}}));
}

TEST(InstructionCache, IsNotJudgedWhereMissesWereNotCountedWhateverTheSizeOfTheCode) {
  const auto fetching = [](double us, double code_bytes) {
    return Waiting("no_instruction", us).Attribute("code_bytes", code_bytes).Remove("icc_misses");
  };
  EXPECT_THAT(Attributed(fetching(10, 4096), fetching(30, 200 * 1024)), AreUs({{"unexplained", 20}}));
}

TEST(Fp16Pipe, TakesTheIssueOfHalvesOneByOne) {
  EXPECT_THAT(Attributed(Issuing(40, 1000).Metric("fp16_thread_inst", 200 * 32),
                         Issuing(48, 1200).Metric("fp16_thread_inst", 400 * 32)),
              AreUs({{"fp16_pipe", 8}}));
}

TEST(Fp16Pipe, IsNobodysWhereHalvesWereNotCounted) {
  const auto halves = [](double us, double issued, double fma_pipe) {
    return Issuing(us, issued).Metric("pipe_fma_inst", fma_pipe).Remove("fp16_thread_inst");
  };
  EXPECT_THAT(Attributed(halves(40, 1000, 200), halves(48, 1200, 400)), AreUs({{"unexplained", 8}}))
      << "the FMA pipe's may be halves or integers";
}

TEST(States, ThatOneKernelLacksAreNobodys) {
  EXPECT_THAT(Attributed(Waiting("math_pipe_throttle", 0).Remove("stall_math_pipe_throttle"),
                         Waiting("math_pipe_throttle", 30).Metric("pipe_fp64_inst", 200)),
              AreUs({{"unexplained", 30}}));
}

}  // namespace
}  // namespace culprit
