// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/invented_study.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

Comparison Make(const KernelBuilder& base, const KernelBuilder& candidate) {
  const KernelView b(base.record), c(candidate.record);
  return Compare(b, c);
}

std::vector<std::string> Ids(const Comparison& comparison) {
  std::vector<std::string> ids;
  for (const MetricDelta& d : comparison.metrics) ids.push_back(d.id);
  return ids;
}

TEST(Compare, PutsTheLargestChangeFirst) {
  const Comparison c = Make(KernelBuilder("a").Metric("x", 100).Metric("y", 100).Metric("z", 100),
                            KernelBuilder("b").Metric("x", 110).Metric("y", 25).Metric("z", 300));
  EXPECT_THAT(Ids(c), ::testing::ElementsAre("z", "y", "x"));
  EXPECT_DOUBLE_EQ(*c.metrics[1].change, -0.75);
}

// 60 + 60 of 100 resident warp-cycles, from two passes: half of the time each, as why says.
TEST(Compare, TakesTheSumOfTheStatesForTheWholeWhereItIsMore) {
  const auto kernel = [](const char* id) {
    KernelBuilder k(id);
    k.Time(200).Metric("warps_active", 100);
    return k.Stall("wait", 60, 100, 100).Stall("barrier", 60, 100, 100);
  };
  const Comparison c = Make(kernel("a"), kernel("b"));
  ASSERT_EQ(c.stalls.size(), 2u);
  for (const StallDelta& stall : c.stalls) EXPECT_NEAR(*stall.base_us, 100, 1e-9) << stall.reason;
}

TEST(Compare, AHugeRatioOfASmallCountDoesNotLead) {
  const Comparison c = Make(KernelBuilder("a")
                                .Metric("executed", 4e9, "inst")
                                .Metric("tensor", 8192, "inst")
                                .Metric("traffic", 100, "sector"),
                            KernelBuilder("b")
                                .Metric("executed", 3e9, "inst")
                                .Metric("tensor", 4194304, "inst")
                                .Metric("traffic", 150, "sector"));
  EXPECT_THAT(Ids(c), ::testing::ElementsAre("traffic", "executed", "tensor"));
}

TEST(Compare, AMetricThatWasZeroIsNewAndSortsByItsSize) {
  const Comparison c = Make(KernelBuilder("a").Metric("small", 0).Metric("large", 0).Metric("x", 1),
                            KernelBuilder("b").Metric("small", 5).Metric("large", 5000).Metric("x", 100));
  EXPECT_THAT(Ids(c), ::testing::ElementsAre("large", "small", "x"));
  EXPECT_EQ(c.metrics[0].kind, ChangeKind::kNew);
  EXPECT_FALSE(c.metrics[0].change);
}

TEST(Compare, BothZeroIsTheSame) {
  const Comparison c = Make(KernelBuilder("a").Metric("x", 0), KernelBuilder("b").Metric("x", 0));
  EXPECT_EQ(c.metrics[0].kind, ChangeKind::kSame);
}

TEST(Compare, ListsWhatOneSideLacksAsNotComparable) {
  const Comparison c =
      Make(KernelBuilder("a").Metric("x", 1).Metric("y", 1), KernelBuilder("b").Missing("x", ReadingStatus::kDenied));
  EXPECT_TRUE(c.metrics.empty());
  ASSERT_EQ(c.not_comparable.size(), 2u);
  EXPECT_EQ(c.not_comparable[0].candidate.absence(), Absence::kDenied);
  EXPECT_EQ(c.not_comparable[1].candidate.absence(), Absence::kNotAsked);
}

TEST(Compare, SaysWhatElseDiffers) {
  KernelBuilder b("b");
  b.record.launch.shape = "4096x4096x4096";
  b.record.run.run.l2 = "flush";
  EXPECT_THAT(Make(KernelBuilder("a"), b).caveats,
              ::testing::ElementsAre("Shape differs: 2048x2048x2048 against 4096x4096x4096.",
                                     "L2 state differs: hot against flush."));
  EXPECT_TRUE(Make(KernelBuilder("a"), KernelBuilder("b")).caveats.empty());
}

TEST(Compare, FindsLocalMemoryNewInTheInventedStudy) {
  const Comparison c = Make(testing::InventedV17(), testing::InventedV16());
  EXPECT_EQ(c.metrics[0].id, "local_load_sectors");
  EXPECT_EQ(c.metrics[0].kind, ChangeKind::kNew);
  EXPECT_EQ(c.stalls[0].reason, "long_scoreboard");
  EXPECT_NEAR(*c.stalls[0].candidate_us - *c.stalls[0].base_us, 460, 1e-6);
}

RC_GTEST_PROP(Compare, ExchangingTheSidesKeepsTheOrderAndTurnsTheChanges, ()) {
  const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 50), rc::gen::inRange(0, 50)));
  KernelBuilder a("a"), b("b");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    a.Metric("m" + std::to_string(i), pairs[i].first);
    b.Metric("m" + std::to_string(i), pairs[i].second);
  }
  const Comparison there = Make(a, b), back = Make(b, a);
  RC_ASSERT(there.metrics.size() == back.metrics.size());
  for (std::size_t i = 0; i < there.metrics.size(); ++i) {
    const MetricDelta &t = there.metrics[i], &k = back.metrics[i];
    RC_ASSERT(t.base == [&] {
      for (const MetricDelta& d : back.metrics)
        if (d.id == t.id) return d.candidate;
      return -1.0;
    }());
    RC_ASSERT((t.kind == ChangeKind::kSame) == (k.kind == ChangeKind::kSame));
    RC_ASSERT((t.kind == ChangeKind::kChanged) == (k.kind == ChangeKind::kChanged));
  }
}

}  // namespace
}  // namespace culprit
