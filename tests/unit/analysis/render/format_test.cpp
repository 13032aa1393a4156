// SPDX-License-Identifier: Apache-2.0
#include "analysis/render/format.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

TEST(Format, SeparatesThousands) {
  EXPECT_EQ(Format(16777216, Unit::kCount), "16,777,216");
  EXPECT_EQ(Format(999, Unit::kCount), "999");
  EXPECT_EQ(Format(-1000, Unit::kCount), "-1,000");
  EXPECT_EQ(Format(24412.4, Unit::kGflops), "24,412 GFLOP/s");
}

TEST(Format, KeepsAtLeastThreeDigitsOfATime) {
  EXPECT_EQ(Format(1287.04, Unit::kTimeUs), "1,287.0 us");
  EXPECT_EQ(Format(12.345, Unit::kTimeUs), "12.35 us");
  EXPECT_EQ(Format(0.5, Unit::kTimeUs), "0.500 us");
}

TEST(Format, GivesDifferencesASignAndNeverMinusZero) {
  EXPECT_EQ(Format(582, Unit::kTimeDeltaUs), "+582.0 us");
  EXPECT_EQ(Format(-0.027, Unit::kTimeDeltaUs), "-0.027 us") << "a change is never shown as none";
  EXPECT_EQ(Format(-0.0001, Unit::kTimeDeltaUs), "+0.000 us");
  EXPECT_EQ(Format(0, Unit::kTimeDeltaUs), "+0.0 us");
  EXPECT_EQ(Format(-75, Unit::kChangePercent), "-75.0 %");
}

TEST(Format, WritesTrafficInDecimalAndSizesInBinaryUnits) {
  EXPECT_EQ(Format(431e6, Unit::kBytes), "431.0 MB");
  EXPECT_EQ(Format(12, Unit::kBytes), "12 B");
  EXPECT_EQ(Format(3.35e12, Unit::kBytesPerSecond), "3.350 TB/s");
  EXPECT_EQ(Format(256, Unit::kCapacity), "256 B");
  EXPECT_EQ(Format(10368, Unit::kCapacity), "10,368 B");
  EXPECT_EQ(Format(50 << 20, Unit::kCapacity), "50 MiB");
}

TEST(Format, SaysWhyANumberIsMissing) {
  EXPECT_EQ(Format(Number{Measured::Missing(Absence::kDenied), Unit::kCount}), "not measured (denied)");
  EXPECT_EQ(Format(Number{Measured::Missing(Absence::kUndefined), Unit::kCount}), "-");
  EXPECT_EQ(Format(Number{{}, Unit::kTimeUs}), "not measured");
}

}  // namespace
}  // namespace culprit
