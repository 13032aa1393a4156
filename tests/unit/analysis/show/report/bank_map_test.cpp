// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/bank_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/warp_access.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using testing::Load;
using ::testing::StartsWith;

std::vector<std::string> Lines(const SharedAccess& access) {
  std::vector<std::string> lines;
  for (const auto& line : DrawBanks(access, Model(access)).lines) {
    auto& text = lines.emplace_back();
    for (const Span& span : line) text += span.text;
  }
  return lines;
}

TEST(BankMap, HasALinePerWavefrontAndMarksConflicts) {
  const auto lines = Lines(Load(4, [](int lane) { return lane < 3 ? lane * 128 : kInactiveLane; }));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], StartsWith("wavefront  lanes   0  1  2"));
  EXPECT_THAT(lines[1], StartsWith("  0        0-2     0  .  ."));
  EXPECT_THAT(lines[2], StartsWith("! 1        0-2     1  .  ."));
  EXPECT_THAT(lines[3], StartsWith("! 2        0-2     2  .  ."));
}

// A part of it stands behind the label and the indent of a report, in 80 columns; the parts are all of it.
TEST(BankMap, FitsAUsualTerminalInTwoParts) {
  const SharedAccess access = Load(4, [](int lane) { return lane * 4; });
  const Drawing map = DrawBanks(access, Model(access));
  EXPECT_LE(2 + map.label + map.part, 80u);
  for (const std::string& line : Lines(access)) EXPECT_LE(line.size(), map.label + 2 * map.part);
  EXPECT_EQ(Lines(access)[0].substr(map.label, 3), " 0 ");
  EXPECT_EQ(Lines(access)[0].substr(map.label + map.part, 3), "16 ");
}

TEST(BankMap, PutsEveryLaneUnderItsBank) {
  const auto lines = Lines(Load(4, [](int lane) { return (lane + 5) % 32 * 4; }));
  ASSERT_EQ(lines.size(), 2u);
  for (int lane = 0; lane < 32; ++lane) {
    const std::size_t column = lines[0].find(" 0 ", 16) + static_cast<std::size_t>((lane + 5) % 32 * 3);
    EXPECT_EQ(std::stoi(lines[1].substr(column, 2)), lane);
  }
}

TEST(BankMap, SaysThatMoreLanesReadTheSameWord) {
  EXPECT_THAT(Lines(Load(4, [](int) { return 8; }))[1], StartsWith("  0        0-31    .  .  0+ ."));
}

TEST(BankMap, NamesTheLanesOfAWideChunkAcrossItsBanks) {
  const auto lines = Lines(Load(16, [](int lane) { return lane % 4 / 2 * 64 + lane % 2 * 32; }));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[1], HasSubstr("0-7    |0,4         .  .  .  . |1,5         .  .  .  . |2,6"));
}

TEST(BankMap, CutsALongListOfLanesWithAPlus) {
  const auto alternate = [](int lane) { return lane % 2 * 16; };
  EXPECT_THAT(Lines(Load(16, alternate))[1], HasSubstr("|0,2,4,6,8+ |1,3,5,7,9+  "));
  EXPECT_THAT(Lines(Load(8, [](int lane) { return lane / 2 % 8 * 8; }))[1], HasSubstr("|0,1+ |2,3+ "));
  EXPECT_THAT(Lines(Load(8, [](int lane) { return lane == 31 || lane >= 16 ? 0 : kInactiveLane; }))[1],
              HasSubstr("|16-31 ."));
}

TEST(BankMap, ColoursFourNeighboursAlike) {
  const SharedAccess access = Load(4, [](int lane) { return lane * 4; });
  const auto line = DrawBanks(access, Model(access)).lines[1];
  std::vector<int> hues;
  for (const Span& span : line)
    if (span.hue >= 0) hues.push_back(span.hue);
  ASSERT_EQ(hues.size(), 32u);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(hues[static_cast<std::size_t>(lane)], lane / 4);
}

TEST(LaneRanges, JoinNeighbours) {
  EXPECT_EQ(LaneRanges({0, 1, 2, 3, 8, 16, 17}), "0-3,8,16,17");
  EXPECT_EQ(LaneRanges({5}), "5");
  EXPECT_EQ(LaneRanges({}), "");
}

}  // namespace
}  // namespace culprit
