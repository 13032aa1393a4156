// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/sampled_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace culprit {
namespace {

using ::testing::ElementsAre;

// 100 us to 150 us, by `part_us` of bank conflicts.
Explanation ByConflicts(double part_us) {
  Explanation e;
  e.verdict.speed = Speed::kSlower;
  e.decomposition.emplace();
  e.base_us = 100.0;
  e.candidate_us = 150.0;
  e.unexplained_us = 50 - part_us;
  CausePart& conflicts = e.causes.emplace_back();
  conflicts.cause = "shared_bank_conflicts";
  conflicts.delta_us = part_us;
  conflicts.share = part_us / 50;
  return e;
}

std::vector<DifferenceAdvice> ByMicroseconds() {
  std::vector<DifferenceAdvice> advice(3);
  advice[0].advice.id = "uncoalesced", advice[0].more_us = 40;
  advice[1].advice.id = "bank_conflicts", advice[1].more_us = 35;
  advice[2].advice.id = "narrow", advice[2].more_us = 5;
  return advice;
}

std::vector<std::string_view> Led(const Explanation& explanation) {
  std::vector<DifferenceAdvice> advice = ByMicroseconds();
  LeadWithFirstCause(explanation, advice);
  std::vector<std::string_view> ids;
  for (const DifferenceAdvice& a : advice) ids.push_back(a.advice.id);
  return ids;
}

TEST(LeadWithFirstCause, TakesAdviceOnItFirst) {
  EXPECT_THAT(Led(ByConflicts(45)), ElementsAre("bank_conflicts", "uncoalesced", "narrow"));
}

TEST(LeadWithFirstCause, LeavesTheOrderWhereNoCauseStandsAlone) {
  EXPECT_THAT(Led(ByConflicts(10)), ElementsAre("uncoalesced", "bank_conflicts", "narrow"));
}

TEST(LeadWithFirstCause, LeavesTheOrderWhereNothingIsAdvisedOnIt) {
  Explanation barriers = ByConflicts(45);
  barriers.causes.front().cause = "barrier";
  EXPECT_THAT(Led(barriers), ElementsAre("uncoalesced", "bank_conflicts", "narrow"));
}

// A difference of 100 us: line 34 grew by 90, line 35, where warps meet, by 6.
TEST(HoldAgainstLines, PutsTheLineThatGrewMostFirstAndNeverExceedsIt) {
  LineDifferences differences;
  for (const auto& [line, us] : {std::pair(34, 90.), {35, 6.}, {36, 4.}}) {
    DifferentLine& of = differences.lines.emplace_back();
    of.base = of.candidate = CodePlace{{"k.cu", line}, ""};
    of.candidate_us = us;
  }
  std::vector<DifferenceAdvice> advice(3);
  advice[0].advice.id = "barrier_in_loop", advice[0].advice.at = {"k.cu", 35}, advice[0].more_us = 30;
  advice[1].advice.id = "bank_conflicts", advice[1].advice.at = {"k.cu", 34}, advice[1].more_us = 20;
  advice[2].advice.id = "narrow", advice[2].advice.at = {"k.cu", 36}, advice[2].more_us = 50;
  HoldAgainstLines(differences, advice);
  ASSERT_EQ(advice.size(), 2u) << "less than a twentieth of the difference is not worth it";
  EXPECT_EQ(advice[0].advice.id, "bank_conflicts");
  EXPECT_DOUBLE_EQ(advice[0].more_us, 20);
  EXPECT_DOUBLE_EQ(advice[0].line_us, 90);
  EXPECT_EQ(advice[1].advice.id, "barrier_in_loop");
  EXPECT_DOUBLE_EQ(advice[1].more_us, 6);
}

}  // namespace
}  // namespace culprit
