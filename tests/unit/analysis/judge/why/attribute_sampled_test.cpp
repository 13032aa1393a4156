// SPDX-License-Identifier: Apache-2.0
// What samples of instructions change in attribution: who takes what a state has left, and what local memory holds.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/judge/why/attribute.h"
#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using testing::AreUs;
using testing::Attributed;
using testing::KernelBuilder;
using testing::Sampled;
using testing::Spending;

// 60 us of waiting for loads become 600 for 1.25 times the sectors: more than these can have brought about.
KernelBuilder Loading(double us, double requests, const char* state = "long_scoreboard") {
  return Spending("k", {{"selected", 40}, {state, us}})
      .Metric("global_load_requests", requests)
      .Metric("global_load_sectors", 4 * requests)
      .Metric("sass_global_sectors", 4 * requests)
      .Metric("sass_global_sectors_ideal", 4 * requests);
}
const KernelBuilder kBase = Loading(60, 100), kCandidate = Loading(600, 125);
const double kExplained = 540 * 3 * std::log(1.25) / std::log(10);

SampledPair Waiting(Operation operation, double us, const char* state = "long_scoreboard") {
  return Sampled({{{operation, state}, us}});
}

TEST(SampledWaiting, ThatCountersLeaveIsACausesWhoseInstructionsItWasFor) {
  EXPECT_THAT(Attributed(kBase, kCandidate, Waiting(Operation::kGlobalLoad, 540)), AreUs({{"l2_traffic", 540}}));
}

TEST(SampledWaiting, IsTakenNoFurtherThanItWasSeen) {
  EXPECT_THAT(Attributed(kBase, kCandidate, Waiting(Operation::kGlobalLoad, 100)),
              AreUs({{"l2_traffic", kExplained + 100}, {"unexplained", 440 - kExplained}}));
}

TEST(SampledWaiting, ForOthersInstructionsStaysUnexplained) {
  const auto unchanged = AreUs({{"l2_traffic", kExplained}, {"unexplained", 540 - kExplained}});
  EXPECT_THAT(Attributed(kBase, kCandidate, Waiting(Operation::kSharedLoad, 540)), unchanged)
      << "no cause of shared memory took part";
  EXPECT_THAT(Attributed(kBase, kCandidate, Waiting(Operation::kGlobalLoad, 540, "lg_throttle")), unchanged)
      << "another state";
  EXPECT_THAT(Attributed(kBase, kCandidate, Waiting(Operation::kGlobalLoad, -540)), unchanged)
      << "less was waited for them";
}

TEST(SampledWaiting, StaysUnexplainedWhereItsCausesAskedForHardlyMore) {
  // 2 % more sectors, and ten times the waiting in a queue: three per cent of it by themselves.
  const double own = 540 * 3 * std::log(1.02) / std::log(10);
  EXPECT_THAT(Attributed(Loading(60, 100, "lg_throttle"), Loading(600, 102, "lg_throttle"),
                         Waiting(Operation::kGlobalLoad, 540, "lg_throttle")),
              AreUs({{"l2_traffic", own}, {"unexplained", 540 - own}}));
}

TEST(SampledWaiting, IsSharedByTheOperationsThatItWasFor) {
  // A quarter was for arithmetic, which took no part.
  const SampledPair sampled =
      Sampled({{{Operation::kGlobalLoad, "long_scoreboard"}, 450}, {{Operation::kFp32, "long_scoreboard"}, 150}});
  const double left = 540 - kExplained;
  EXPECT_THAT(Attributed(kBase, kCandidate, sampled),
              AreUs({{"l2_traffic", kExplained + 0.75 * left}, {"unexplained", 0.25 * left}}));
}

KernelBuilder UsingLocal(double frame_bytes, double spilled_bytes) {
  return Loading(120, 100)
      .Metric("local_load_sectors", 400)
      .Metric("local_load_requests", 100)
      .Attribute("stack_frame_bytes", frame_bytes)
      .Attribute("spill_store_bytes", spilled_bytes);
}

SampledPair WithArrays(double part) {
  SampledPair sampled;
  sampled.candidate_arrays = part;
  return sampled;
}

TEST(SampledCode, SaysWhatLocalMemoryHoldsWhereTheCompilersReportIsMissing) {
  const auto unreported = [](KernelBuilder k) {
    return k.Remove("spill_store_bytes").Remove("spill_load_bytes").Remove("stack_frame_bytes");
  };
  const KernelBuilder base = unreported(Loading(60, 100)), candidate = unreported(UsingLocal(256, 0));
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"local_memory_unknown", 60}}));
  EXPECT_THAT(Attributed(base, candidate, WithArrays(1)), AreUs({{"local_memory_array", 60}}));
  EXPECT_THAT(Attributed(base, candidate, WithArrays(0)), AreUs({{"local_memory_spill", 60}}));
  EXPECT_THAT(Attributed(base, candidate, SampledPair()), AreUs({{"local_memory_unknown", 60}}))
      << "no warp was seen to wait for it";
}

// An array's elements may be written and read at constant offsets, as spills are.
TEST(SampledCode, DoesNotContradictTheCompilersReport) {
  EXPECT_THAT(Attributed(Loading(60, 100), UsingLocal(256, 0), WithArrays(0.9)), AreUs({{"local_memory_array", 60}}));
  EXPECT_THAT(Attributed(Loading(60, 100), UsingLocal(16, 16), WithArrays(0.1)), AreUs({{"local_memory_spill", 60}}));
}

TEST(SampledCode, TellsArraysFromSpillsInOneFrame) {
  const KernelBuilder base = Loading(60, 100), candidate = UsingLocal(256, 16);
  EXPECT_THAT(Attributed(base, candidate), AreUs({{"local_memory_array", 60}}));
  EXPECT_THAT(Attributed(base, candidate, WithArrays(0.25)),
              AreUs({{"local_memory_array", 15}, {"local_memory_spill", 45}}));
}

}  // namespace
}  // namespace culprit
