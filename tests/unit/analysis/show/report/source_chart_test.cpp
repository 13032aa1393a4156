// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/source_chart.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Measured kNone = Measured::Missing(Absence::kUndefined);

// Of a file of 30 lines, each of which says its number behind two tabs; of another there is no text.
SourceText At(const SourceFrame& line) {
  if (line.file != "a.cu") return {"", "not at hand"};
  if (line.line > 30) return {"", "shorter"};
  if (line.line == 12) return {"", ""};
  return {fmt::format("\t\tline {}", line.line), ""};
}

// "role line text" of each row.
std::vector<std::string> Rows(const Chart& chart) {
  std::vector<std::string> rows;
  for (const auto& row : chart.data.rows) {
    const Measured number = std::get<Number>(row[2]).value;
    rows.push_back(
        fmt::format("{} {} {}", std::get<std::string>(row[1]), number ? *number : 0, std::get<std::string>(row[3])));
  }
  return rows;
}

TEST(SourceChart, ListsWhatStandsAroundALineWithATime) {
  const std::vector<TimedLine> lines = {{{"a.cu", 4}, "a.cu:4", kNone, 10.0, "global load"},
                                        {{"a.cu", 10}, "a.cu:10", kNone, 90.0}};
  const auto chart = SourceChart(lines, false, {At, At}, "Lines");
  ASSERT_TRUE(chart);
  EXPECT_THAT(Rows(*chart), ElementsAre("file 0 ", "text 2 line 2", "text 3 line 3", "line 4 line 4", "text 5 line 5",
                                        "text 6 line 6", "gap 0 ", "text 8 line 8", "text 9 line 9", "line 10 line 10",
                                        "text 11 line 11"))
      << "without the blank line at the end, and without what all lines begin with";
  EXPECT_EQ(std::get<Number>(chart->data.rows[3][5]).value.value_or(0), 10);
  EXPECT_FALSE(std::get<Number>(chart->data.rows[2][5]).value) << "a line without a time has none, not 0";
}

TEST(SourceChart, ShowsNeighboursThatCostWithoutBeingListed) {
  std::vector<TimedLine> lines = {
      {{"a.cu", 4}, "a.cu:4", kNone, 100.0}, {{"a.cu", 5}, "a.cu:5", kNone, 1.0}, {{"a.cu", 6}, "a.cu:6", kNone, 0.1}};
  lines[1].is_listed = lines[2].is_listed = false;
  const auto chart = SourceChart(lines, false, {At, At}, "");
  ASSERT_TRUE(chart);
  EXPECT_THAT(Rows(*chart), ElementsAre("file 0 ", "text 2 line 2", "text 3 line 3", "line 4 line 4", "line 5 line 5",
                                        "text 6 line 6"));
  lines[0].is_listed = false;
  EXPECT_FALSE(SourceChart(lines, false, {At, At}, "")) << "nothing is listed";
}

TEST(SourceChart, HasLinesWhoseTextIsNotAtHandAndPlacesWithoutALine) {
  std::vector<TimedLine> lines = {{{"b.cu", 7}, "b.cu:7", 5.0, 50.0},
                                  {{}, "global load in loop 2 of gather", 1.0, 3.0},
                                  {{"a.cu", 40}, "gone: a.cu:40", 500.0, 0.0}};
  lines[2].only_in_base = true;
  const auto chart = SourceChart(lines, true, {At, At}, "");
  ASSERT_TRUE(chart);
  EXPECT_THAT(Rows(*chart), ElementsAre("file 0 ", "line 7 ", "file 0 ", "line 40 ", "file 0 ", "place 0 "))
      << "what only the base has stands behind the candidate's, however much it is";
  EXPECT_THAT(std::get<std::string>(chart->data.rows[2][0]), HasSubstr("only in the base"));
  EXPECT_EQ(std::get<Number>(chart->data.rows[3][6]).value.value_or(0), -500);
  EXPECT_EQ(std::get<std::string>(chart->data.rows[5][0]), "global load in loop 2 of gather");
}

TEST(SourceChart, QuotesTheBaseForWhatOnlyTheBaseHas) {
  const FindSourceText base = [](const SourceFrame& at) { return SourceText{fmt::format("old {}", at.line), ""}; };
  std::vector<TimedLine> lines = {{{"a.cu", 4}, "a.cu:4", 5.0, 50.0}, {{"a.cu", 40}, "gone: a.cu:40", 500.0, 0.0}};
  lines[1].only_in_base = true;
  const auto chart = SourceChart(lines, true, {base, At}, "");
  ASSERT_TRUE(chart);
  EXPECT_THAT(Rows(*chart), ::testing::Contains("line 4 line 4"));
  EXPECT_THAT(Rows(*chart), ::testing::Contains("line 40 old 40"));
}

TEST(SourceChart, NeverLeavesOutALineWithATime) {
  std::vector<TimedLine> lines;
  for (int i = 1; i <= 200; ++i) lines.push_back({{"b.cu", 10 * i}, fmt::format("b.cu:{}", 10 * i), kNone, 1.0});
  const FindSourceText x = [](const SourceFrame&) { return SourceText{"x", ""}; };
  const auto chart = SourceChart(lines, false, {x, x}, "");
  ASSERT_TRUE(chart);
  EXPECT_EQ(
      std::ranges::count_if(chart->data.rows, [](const auto& row) { return std::get<std::string>(row[1]) == "line"; }),
      200);
}

}  // namespace
}  // namespace culprit
