// SPDX-License-Identifier: Apache-2.0
// The lines of a cause in every form of a check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/show/report/check_notes.h"
#include "analysis/show/report/check_report.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

// One regression by one cause at these lines of k.cu, all tied.
Check CheckAt(const std::vector<int>& lines) {
  Check check;
  check.max_slowdown = 0.02;
  CheckedLaunch& launch = check.launches.emplace_back();
  launch.stage = "after";
  launch.shape = "64";
  launch.judgement = Judgement::kRegression;
  launch.base_us = 100.0;
  launch.candidate_us = 150.0;
  Explanation& e = launch.explanation.emplace();
  e.base_us = 100.0;
  e.candidate_us = 150.0;
  e.verdict.speed = Speed::kSlower;
  e.decomposition.emplace();
  CausePart& part = e.causes.emplace_back();
  part.cause = "atomics";
  part.delta_us = 50;
  part.share = 1;
  for (const int line : lines)
    part.source.push_back({.file = "k.cu", .line = line, .what = "", .tied = lines.size() > 1});
  return check;
}

std::string Rendered(void (*render)(const Check&, std::ostream&), const Check& check) {
  std::ostringstream out;
  render(check, out);
  return out.str();
}

nlohmann::json RegionOf(const Check& check) {
  return nlohmann::json::parse(
      Rendered(RenderCheckSarif, check))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
}

TEST(CheckPlace, IsOneLineWhereOneStandsOut) {
  const Check check = CheckAt({26});
  EXPECT_THAT(WorstLine(check), HasSubstr(", at k.cu:26."));
  EXPECT_EQ(RegionOf(check), (nlohmann::json{{"startLine", 26}}));
  EXPECT_THAT(Rendered(RenderCheckGithub, check), HasSubstr("file=k.cu,line=26,title="));
}

TEST(CheckPlace, IsARangeWhereLinesAreTied) {
  const Check check = CheckAt({28, 27, 26});
  EXPECT_THAT(WorstLine(check), HasSubstr(", at k.cu:26-28."));
  EXPECT_EQ(RegionOf(check), (nlohmann::json{{"startLine", 26}, {"endLine", 28}}));
  EXPECT_THAT(Rendered(RenderCheckGithub, check), HasSubstr("file=k.cu,line=26,endLine=28,title="));
  EXPECT_THAT(Rendered(RenderCheckJunit, check), HasSubstr("line=\"26\""));
  EXPECT_THAT(Rendered(RenderCheckJunit, check), HasSubstr("k.cu:26-28"));
}

TEST(CheckPlace, TakesTheFirstRangeForMachinesWhereTiedLinesStandApart) {
  const Check check = CheckAt({40, 26});
  EXPECT_THAT(WorstLine(check), HasSubstr(", at k.cu:26, :40."));
  EXPECT_EQ(RegionOf(check), (nlohmann::json{{"startLine", 26}}));
}

}  // namespace
}  // namespace culprit
