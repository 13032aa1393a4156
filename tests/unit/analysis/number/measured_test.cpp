// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/measured.h"

#include <gtest/gtest.h>

#include <limits>

namespace culprit {
namespace {

TEST(Measured, KeepsTheReasonThroughArithmetic) {
  const Measured denied(std::nullopt, ReadingStatus::kDenied);
  for (const Measured& result : {denied + 1.0, Measured(1) - denied, denied * 0.0, Measured(0) / denied}) {
    EXPECT_FALSE(result);
    EXPECT_EQ(result.absence(), Absence::kDenied);
  }
}

TEST(Measured, DividingByZeroIsUndefinedNotInfinite) {
  const Measured ratio = Measured(5) / Measured(0);
  EXPECT_FALSE(ratio);
  EXPECT_EQ(ratio.absence(), Absence::kUndefined);
}

TEST(Measured, ANumberThatIsNotFiniteIsUndefined) {
  EXPECT_FALSE(Measured(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(Measured(std::numeric_limits<double>::infinity()));
}

TEST(Measured, ZeroIsAValue) {
  EXPECT_TRUE(Measured(0));
  EXPECT_TRUE(Measured(0.0, ReadingStatus::kOk));
}

TEST(Measured, ANumberThatMayBeThereAndIsNotWasNotAskedFor) {
  EXPECT_EQ(*Measured(std::optional(7.0)), 7);
  const Measured missing = std::optional<double>();
  EXPECT_FALSE(missing);
  EXPECT_EQ(missing.absence(), Absence::kNotAsked);
  EXPECT_EQ(Measured(std::optional(std::numeric_limits<double>::infinity())).absence(), Absence::kUndefined);
}

TEST(Measured, AValueWithAStatusOtherThanOkIsMissing) {
  EXPECT_FALSE(Measured(7.0, ReadingStatus::kFailed));
  EXPECT_FALSE(Measured(std::nullopt, ReadingStatus::kOk));
}

}  // namespace
}  // namespace culprit
