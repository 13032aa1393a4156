// SPDX-License-Identifier: Apache-2.0
#include "analysis/fleet/moved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

KernelCost Cost(const std::string& name, double us, const std::string& range = "") { return {name, range, us, 0.01}; }

TEST(Moved, ARenamedKernelIsNoRegression) {
  const CostOrigin origin = OriginOf("softmax_v2", "", std::vector{Cost("softmax_v1", 100), Cost("gemm", 500)},
                                     std::vector{Cost("softmax_v2", 100.5), Cost("gemm", 501)});
  EXPECT_TRUE(origin.is_moved);
  EXPECT_THAT(origin.cheaper, ElementsAre("softmax_v1"));
  EXPECT_DOUBLE_EQ(origin.rise_us, 100.5);
  EXPECT_DOUBLE_EQ(origin.net_us, 0.5);
}

TEST(Moved, ASplitKernelIsNone) {
  const std::vector before = {Cost("attention_forward", 300), Cost("gemm", 500)};
  const std::vector after = {Cost("attention_scores", 180), Cost("attention_values", 121), Cost("gemm", 500)};
  const CostOrigin origin = OriginOf("attention_scores", "", before, after);
  EXPECT_TRUE(origin.is_moved);
  EXPECT_THAT(origin.cheaper, ElementsAre("attention_forward"));
  EXPECT_THAT(origin.dearer, ElementsAre("attention_values"));
}

TEST(Moved, AFusedKernelIsNone) {
  const std::vector before = {Cost("bias_add", 40), Cost("gelu", 60), Cost("gemm", 500)};
  const CostOrigin origin =
      OriginOf("fused_bias_gelu", "", before, std::vector{Cost("fused_bias_gelu", 70), Cost("gemm", 500)});
  EXPECT_TRUE(origin.is_moved) << "it may save time";
  EXPECT_THAT(origin.cheaper, ElementsAre("gelu", "bias_add"));
  // Into one that was there before.
  EXPECT_TRUE(OriginOf("gemm_bias", "", std::vector{Cost("gemm_bias", 500), Cost("bias_add", 40)},
                       std::vector{Cost("gemm_bias", 535)})
                  .is_moved);
}

TEST(Moved, AHalfMovedCostCame) {
  const CostOrigin origin =
      OriginOf("softmax_v2", "", std::vector{Cost("softmax_v1", 100)}, std::vector{Cost("softmax_v2", 150)});
  EXPECT_FALSE(origin.is_moved);
  EXPECT_DOUBLE_EQ(origin.net_us, 50);
  EXPECT_THAT(origin.cheaper, ElementsAre("softmax_v1"));
}

TEST(Moved, ACoincidenceElsewhereExcusesNothing) {
  const std::vector before = {Cost("gemm", 500), Cost("dropout", 100), Cost("scatter", 50)};
  EXPECT_FALSE(OriginOf("gemm", "", before, std::vector{Cost("gemm", 600), Cost("scatter", 50)}).is_moved)
      << "no name says that gemm does what dropout did";
  EXPECT_FALSE(
      OriginOf("gemm", "", before, std::vector{Cost("gemm", 600), Cost("dropout", 1), Cost("scatter", 50)}).is_moved)
      << "nothing came or went";
}

TEST(Moved, AWordThatUnchangedKernelsHaveTooSaysNothing) {
  const std::vector before = {Cost("vectorized_gather_rows_f32", 100), Cost("vectorized_copy", 50)};
  const std::vector after = {Cost("vectorized_layer_norm_bf16", 100), Cost("vectorized_copy", 50)};
  EXPECT_FALSE(OriginOf("vectorized_layer_norm_bf16", "", before, after).is_moved);
}

TEST(Moved, TheRangeIsThePlace) {
  const std::vector before = {Cost("a", 100, "layer #/mlp"), Cost("b", 100, "optimizer"), Cost("c", 30, "layer #/mlp")};
  const std::vector renamed = {Cost("x", 100, "layer #/mlp"), Cost("b", 50, "optimizer"), Cost("c", 30, "layer #/mlp")};
  const CostOrigin origin = OriginOf("x", "layer #/mlp", before, renamed);
  EXPECT_TRUE(origin.is_moved) << "names need not agree in one range, and the optimizer is elsewhere";
  EXPECT_TRUE(origin.is_in_range);
  EXPECT_THAT(origin.cheaper, ElementsAre("a"));
  const std::vector came = {Cost("a", 100, "layer #/mlp"), Cost("x", 100, "layer #/mlp"), Cost("c", 30, "layer #/mlp")};
  EXPECT_FALSE(OriginOf("x", "layer #/mlp", before, came).is_moved) << "b went in another range";
  const std::vector much_cheaper = {Cost("x", 40, "layer #/mlp"), Cost("c", 30, "layer #/mlp")};
  EXPECT_FALSE(OriginOf("x", "layer #/mlp", before, much_cheaper).is_moved) << "a went, and x may be new";
}

TEST(Moved, WhatIsWithinTheNoiseOfTheRestIsInDoubt) {
  std::vector before = {Cost("gather_a", 1000), Cost("norm", 10)}, after = {Cost("gather_b", 1000), Cost("norm", 14)};
  EXPECT_FALSE(OriginOf("norm", "", before, after).is_moved) << "4 us are less than the noise of gather";
}

TEST(Moved, OneThatIsNotDearerOrUnknownDidNotMove) {
  const std::vector before = {Cost("a_kernel", 100)}, after = {Cost("a_kernel", 50), Cost("b_kernel", 50)};
  EXPECT_FALSE(OriginOf("a_kernel", "", before, after).is_moved);
  EXPECT_FALSE(OriginOf("nowhere", "", before, after).is_moved);
  EXPECT_THAT(OriginOf("nowhere", "", before, after).cheaper, IsEmpty());
  EXPECT_TRUE(OriginOf("b_kernel", "", before, after).is_moved) << "split from one that stays";
}

TEST(Moved, EntriesOfOneKernelAreAddedUp) {
  const CostOrigin origin = OriginOf("sort_b", "", std::vector{Cost("sort_a", 60), Cost("sort_a", 40)},
                                     std::vector{Cost("sort_b", 50), Cost("sort_b", 50)});
  EXPECT_TRUE(origin.is_moved);
  EXPECT_DOUBLE_EQ(origin.rise_us, 100);
}

}  // namespace
}  // namespace culprit
