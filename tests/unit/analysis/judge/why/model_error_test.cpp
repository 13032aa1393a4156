// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "analysis/judge/why/replicate.h"

namespace culprit {
namespace {

TEST(ModelErrors, BeginAtNothingAndAscend) {
  ASSERT_FALSE(ModelErrors().empty());
  EXPECT_EQ(ModelErrors().front().from, 0);
  for (std::size_t i = 1; i < ModelErrors().size(); ++i) EXPECT_GT(ModelErrors()[i].from, ModelErrors()[i - 1].from);
  for (const ModelError& e : ModelErrors()) {
    EXPECT_GT(e.half_width, 0);
    EXPECT_GE(e.parts, 10) << "too few to say what nine in ten are";
  }
}

TEST(IntervalOf, IsAsWideAsTheModelIsWrongWhereNothingScatters) {
  for (const ModelError& e : ModelErrors()) {
    const double part = (e.from + 0.001) * 200;
    const Scatter interval = IntervalOf(part, 200, {part, part});
    EXPECT_NEAR(interval.high - part, e.half_width * 200, 1e-9);
    EXPECT_NEAR(part - interval.low, e.half_width * 200, 1e-9);
  }
}

RC_GTEST_PROP(IntervalOf, HoldsThePartWidensWithScatterAndChangesSignsWithThePair, ()) {
  const auto any = [](int least, int most) { return *rc::gen::inRange(least, most) / 16.0; };
  const double delta = any(1, 100000) * (*rc::gen::arbitrary<bool>() ? 1 : -1), part = any(-100000, 100000);
  const double below = any(0, 10000), above = any(0, 10000);
  const Scatter interval = IntervalOf(part, delta, {part - below, part + above});
  RC_ASSERT(interval.low < part && part < interval.high);
  const Scatter still = IntervalOf(part, delta, {part, part});
  RC_ASSERT(interval.low <= still.low && still.high <= interval.high);
  const Scatter swapped = IntervalOf(-part, -delta, {-part - above, -part + below});
  RC_ASSERT(swapped.low == -interval.high && swapped.high == -interval.low);
}

}  // namespace
}  // namespace culprit
