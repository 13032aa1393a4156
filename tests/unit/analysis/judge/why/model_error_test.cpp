// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <utility>

#include "analysis/judge/why/replicate.h"

namespace culprit {
namespace {

TEST(ModelErrors, BeginAtNothingAndAscend) {
  ASSERT_FALSE(ModelErrors().empty());
  EXPECT_EQ(ModelErrors().front().from_share, 0);
  EXPECT_EQ(ModelErrors().front().from_change, 0);
  const auto place = [](const ModelError& e) { return std::pair(e.from_share, e.from_change); };
  for (std::size_t i = 1; i < ModelErrors().size(); ++i)
    EXPECT_GT(place(ModelErrors()[i]), place(ModelErrors()[i - 1]));
  for (const ModelError& e : ModelErrors()) {
    EXPECT_GT(e.half_width, 0);
    EXPECT_GE(e.parts, 10) << "too few to say what nine in ten are";
  }
}

TEST(RowOf, IsTheLastThatBeginsBelowTheShareAndTheChange) {
  const ModelError rows[] = {{0, 0, 0.1, 9}, {0, 0.5, 0.2, 9}, {0.4, 0, 0.3, 9}, {0.4, 0.5, 0.4, 9}};
  const auto width_of = [&](double part, double candidate) {
    return RowOf(rows, PartSize(part, 0, 100, candidate)).half_width;
  };
  EXPECT_EQ(width_of(1, 110), 0.1);
  EXPECT_EQ(width_of(1, 150), 0.2);
  EXPECT_EQ(width_of(-4, 110), 0.3);
  EXPECT_EQ(width_of(50, 200), 0.4);
  EXPECT_EQ(width_of(-50, 50), 0.4) << "twice as fast is as large a change as twice as slow";
}

TEST(IntervalOf, IsAsWideAsTheModelIsWrongWhereNothingScatters) {
  for (const ModelError& e : ModelErrors()) {
    const double base = 1000, candidate = base * (1.0001 + e.from_change), delta = candidate - base;
    const double part = (e.from_share + 0.001) * delta;
    const Scatter interval = IntervalOf(part, 0, base, candidate, {part, part});
    EXPECT_NEAR(interval.high - part, e.half_width * delta, 1e-9);
    EXPECT_NEAR(part - interval.low, e.half_width * delta, 1e-9);
  }
}

TEST(IntervalOf, ReachesOverTheUnexplainedPart) {
  const Scatter interval = IntervalOf(4, 60, 1000, 1100, {4, 4});
  EXPECT_GE(interval.high, 64);
  EXPECT_LE(interval.low, -56);
}

RC_GTEST_PROP(IntervalOf, HoldsThePartWidensWithScatterAndChangesSignsWithThePair, ()) {
  const auto any = [](int least, int most) { return *rc::gen::inRange(least, most) / 16.0; };
  const double base = any(1, 100000), candidate = base + any(1, 100000), part = any(-100000, 100000);
  const double below = any(0, 10000), above = any(0, 10000), rest = any(-10000, 10000);
  const Scatter interval = IntervalOf(part, rest, base, candidate, {part - below, part + above});
  RC_ASSERT(interval.low < part && part < interval.high);
  const Scatter still = IntervalOf(part, rest, base, candidate, {part, part});
  RC_ASSERT(interval.low <= still.low && still.high <= interval.high);
  const Scatter swapped = IntervalOf(-part, -rest, candidate, base, {-part - above, -part + below});
  RC_ASSERT(swapped.low == -interval.high && swapped.high == -interval.low);
}

}  // namespace
}  // namespace culprit
