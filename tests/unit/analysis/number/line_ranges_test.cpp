// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/line_ranges.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

std::string Text(const std::vector<SourceFrame>& places) { return ToText(RangesOf(places)); }

TEST(LineRanges, JoinNeighboursWhateverTheirOrder) {
  EXPECT_EQ(Text({{"a.cu", 26}}), "a.cu:26");
  EXPECT_EQ(Text({{"a.cu", 28}, {"a.cu", 26}, {"a.cu", 27}}), "a.cu:26-28");
  EXPECT_EQ(Text({{"a.cu", 26}, {"a.cu", 26}}), "a.cu:26");
}

TEST(LineRanges, NameEachThatStandsApart) {
  EXPECT_EQ(Text({{"a.cu", 31}, {"a.cu", 26}, {"a.cu", 27}}), "a.cu:26-27, :31");
  EXPECT_EQ(Text({{"b.cu", 3}, {"a.cu", 2}}), "b.cu:3, a.cu:2") << "the file of the first place leads";
}

TEST(LineRanges, CountWhatIsBeyondThree) {
  EXPECT_EQ(Text({{"a.cu", 1}, {"a.cu", 3}, {"a.cu", 5}, {"a.cu", 7}}), "a.cu:1, :3, :5 and 1 more line");
  EXPECT_EQ(Text({{"a.cu", 1}, {"a.cu", 3}, {"a.cu", 5}, {"a.cu", 7}, {"a.cu", 8}}), "a.cu:1, :3, :5 and 2 more lines");
}

TEST(LineRanges, AreTheFileAloneWhereNoLineIsKnown) {
  EXPECT_EQ(Text({}), "");
  EXPECT_EQ(Text({{"a.cu", 0}}), "a.cu");
}

}  // namespace
}  // namespace culprit
