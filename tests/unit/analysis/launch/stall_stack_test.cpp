// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/stall_stack.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/support/invented_study.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

StallStackResult Make(const KernelBuilder& builder) {
  const KernelView view(builder.record);
  return MakeStallStack(view);
}

TEST(StallStack, SharesTheTimeOutByWarpCycles) {
  KernelBuilder k("k");
  k.Time(200).Metric("warps_active", 1000).Metric("stall_barrier", 250).Metric("stall_wait", 600);
  const StallStack stack = *Make(k).stack;
  ASSERT_EQ(stack.parts.size(), 2u);
  EXPECT_EQ(stack.parts[0].reason, "wait");
  EXPECT_DOUBLE_EQ(*stack.parts[0].time_us, 120);
  EXPECT_DOUBLE_EQ(*stack.parts[1].time_us, 50);
  EXPECT_DOUBLE_EQ(stack.closure, 0.85);
  EXPECT_NEAR(*stack.unattributed_us, 30, 1e-9);
}

TEST(StallStack, CallsWhatWasNotMeasuredMissingRatherThanZero) {
  KernelBuilder k("k");
  k.Time(100).Metric("warps_active", 10).Metric("stall_wait", 5).Missing("stall_gmma", ReadingStatus::kUnsupported);
  const StallStack stack = *Make(k).stack;
  ASSERT_EQ(stack.missing.size(), 1u);
  EXPECT_EQ(stack.missing[0].reason, "gmma");
  EXPECT_EQ(stack.missing[0].why, Absence::kUnsupported);
  EXPECT_EQ(stack.parts.size(), 1u);
}

TEST(StallStack, SaysWhyThereIsNone) {
  KernelBuilder denied("k");
  denied.Time(100).Missing("warps_active", ReadingStatus::kDenied);
  EXPECT_EQ(Make(denied).why_not, "warps_active was not measured (denied), so time cannot be split by stall reason.");
  KernelBuilder idle("k");
  idle.Time(100).Metric("warps_active", 0).Metric("stall_wait", 0);
  EXPECT_FALSE(Make(idle).stack);
  KernelBuilder none("k");
  none.Time(100).Metric("warps_active", 10);
  EXPECT_FALSE(Make(none).stack);
}

TEST(StallStack, HasSharesWithoutATime) {
  KernelBuilder k("k");
  k.Metric("warps_active", 10).Metric("stall_wait", 5);
  const StallStack stack = *Make(k).stack;
  EXPECT_DOUBLE_EQ(stack.parts[0].share, 0.5);
  EXPECT_EQ(stack.parts[0].time_us.absence(), Absence::kNotAsked);
  EXPECT_FALSE(stack.unattributed_us);
}

TEST(StallStack, TheTopStallIsNeitherWorkNorSpareParallelism) {
  KernelBuilder k("k");
  k.Time(100)
      .Metric("warps_active", 10)
      .Metric("stall_selected", 5)
      .Metric("stall_not_selected", 4)
      .Metric("stall_barrier", 1);
  EXPECT_EQ(TopStall(*Make(k).stack)->reason, "barrier");
}

TEST(StallStack, ClosesOnTheInventedStudy) {
  EXPECT_NEAR(Make(testing::InventedV16()).stack->closure, 1, 0.01);
  EXPECT_EQ(TopStall(*Make(testing::InventedV16()).stack)->reason, "long_scoreboard");
}

RC_GTEST_PROP(StallStack, PartsAndUnattributedSumToTheTime, ()) {
  KernelBuilder k("k");
  k.Time(*rc::gen::inRange(1, 1000000) / 16.0);
  k.Metric("warps_active", *rc::gen::inRange(1, 1000000000));
  const auto cycles = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000000000)));
  for (std::size_t i = 0; i < cycles.size(); ++i) k.Metric("stall_" + std::to_string(i), cycles[i]);
  const StallStack stack = *Make(k).stack;
  double sum = *stack.unattributed_us, size = std::abs(sum);
  for (const StallPart& part : stack.parts) {
    sum += *part.time_us;
    size += *part.time_us;
  }
  RC_ASSERT(std::abs(sum - *stack.time_us) <= 1e-12 * size + 1e-12);
  for (std::size_t i = 1; i < stack.parts.size(); ++i)
    RC_ASSERT(*stack.parts[i - 1].time_us >= *stack.parts[i].time_us);
}

}  // namespace
}  // namespace culprit
