// SPDX-License-Identifier: Apache-2.0
#include "bench/program/executed_code.h"

#include <gtest/gtest.h>

#include "tests/support/assembled.h"

namespace culprit {
namespace {

using namespace culprit::testing;

// The group of the instruction at index `at`.
const RunTogether* GroupOf(const ExecutedCode& executions, std::int64_t at) {
  for (const RunTogether& group : executions.groups)
    for (const SassInstruction& i : group.code)
      if (i.pc_offset == 16 * at) return &group;
  return nullptr;
}

double At(const ExecutedCode& executions, std::int64_t at) {
  const RunTogether* group = GroupOf(executions, at);
  return group == nullptr ? -1 : group->executions;
}

Encoded Seen(Encoded instruction, std::int64_t issues) {
  return issues > 0 ? instruction.Samples("selected", issues) : instruction;
}

// 100 warps, 20 trips. The jump back is seen at the instruction behind the loop, not at the loop's first.
TEST(ExecutedCode, AreNotTakenFromWhatIsSeenBehindAJump) {
  const SamplingRecord sampling =
      Sampled({Seen(Mov(0, 1), 0), Seen(Mov(1, 1), 50), Seen(Iadd(2, 2, 1), 50), Seen(Iadd(3, 3, 1), 1000),
               Seen(BranchTo(4, 2, 0), 1000), Seen(Mov(4, 1), 1000), Seen(Mov(5, 1), 50), Seen(Exit(), 50)});
  const double executed = 100 * (5 + 20 * 3);
  for (const std::optional<double> warps : {std::optional(100.0), std::optional<double>()}) {
    const auto executions = ExecutedCodeOf(sampling, executed, warps, 0);
    ASSERT_TRUE(executions);
    EXPECT_NEAR(At(*executions, 2), 2000, 1);
    EXPECT_NEAR(At(*executions, 5), 100, 1);
    EXPECT_EQ(GroupOf(*executions, 5)->known, warps.has_value());
    EXPECT_FALSE(GroupOf(*executions, 2)->known);
  }
}

// Behind a guarded exit there may be fewer warps than before it.
TEST(ExecutedCode, DifferBeforeAndBehindAGuardedExit) {
  const SamplingRecord sampling = Sampled({Seen(Mov(0, 1), 0), Seen(Mov(1, 1), 400), Seen(Exit().If(0), 400),
                                           Seen(Mov(2, 1), 400), Seen(Mov(3, 1), 100), Seen(Exit(), 100)});
  const auto executions = ExecutedCodeOf(sampling, 100 * 3 + 25 * 3, 100, 0);
  ASSERT_TRUE(executions);
  EXPECT_TRUE(GroupOf(*executions, 1)->known);
  EXPECT_EQ(At(*executions, 1), 100);
  EXPECT_FALSE(GroupOf(*executions, 4)->known);
  EXPECT_NEAR(At(*executions, 4), 25, 1e-6);
}

// A lone branch between an inner and an outer loop looks as busy as the inner loop, but the outer loop's code is not.
TEST(ExecutedCode, OfALoneInstructionLieBetweenThoseOfItsNeighbours) {
  const SamplingRecord sampling =
      Sampled({Seen(Mov(0, 1), 0), Seen(Mov(1, 1), 50), Seen(Iadd(2, 2, 1), 50), Seen(Iadd(3, 3, 1), 200),
               Seen(Iadd(4, 4, 1), 200), Seen(Iadd(5, 5, 1), 4000), Seen(BranchTo(6, 4, 0), 4000),
               Seen(BranchTo(7, 2, 1), 4000), Seen(Mov(6, 1), 150), Seen(Exit(), 50)});
  const auto executions = ExecutedCodeOf(sampling, 100 * (4 + 4 * 3 + 80 * 3), 100, 0);
  ASSERT_TRUE(executions);
  EXPECT_NEAR(At(*executions, 5), 8000, 100);
  EXPECT_LT(At(*executions, 7), 700);
  EXPECT_GT(At(*executions, 7), 200);
}

TEST(ExecutedCode, AreNotKnownWithoutSamplesOrCode) {
  SamplingRecord sampling = Sampled({Seen(Mov(0, 1), 0), Seen(Mov(1, 1), 2), Seen(Exit(), 2)});
  EXPECT_FALSE(ExecutedCodeOf(sampling, 300, std::nullopt, 0));
  EXPECT_TRUE(ExecutedCodeOf(sampling, 300, 100, 0)) << "each warp runs it once";
  sampling = Sampled({Seen(Mov(0, 1), 0), Seen(Mov(1, 1), 100), Seen(Exit(), 100)});
  EXPECT_TRUE(ExecutedCodeOf(sampling, 300, 100, 0));
  EXPECT_FALSE(ExecutedCodeOf(sampling, 0, 100, 0));
  sampling.code.clear();
  EXPECT_FALSE(ExecutedCodeOf(sampling, 300, 100, 0));
}

// More warps than the executed instructions allow: some number is wrong, so samples decide alone.
TEST(ExecutedCode, DoNotTrustWarpsThatContradictTheTotal) {
  const SamplingRecord sampling = Sampled({Seen(Mov(0, 1), 0), Seen(Mov(1, 1), 100), Seen(Exit(), 100)});
  const auto executions = ExecutedCodeOf(sampling, 300, 1000, 0);
  ASSERT_TRUE(executions);
  EXPECT_FALSE(GroupOf(*executions, 1)->known);
  EXPECT_NEAR(At(*executions, 1), 100, 1e-6);
}

}  // namespace
}  // namespace culprit
