// SPDX-License-Identifier: Apache-2.0
// What counts as found, and the report, on invented pairs.
#include "tests/planted/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/planted/accuracy_report.h"

namespace culprit::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// FNV-1a (32 bit) of them: 0x8506918e, which 3 divides, and 0xad1842f3, which it does not.
constexpr const char* kHeldOut = "transpose_padding";
constexpr const char* kTunedOn = "list_walk";

struct Said {
  std::string cause;
  double share = 0;
};

JudgedPair Pair(const std::string& pair, const std::string& planted, const std::vector<Said>& said,
                double unexplained) {
  JudgedPair j;
  j.answer = {pair, pair + "_base", pair + "_candidate", planted, "something"};
  j.shape = "1024";
  j.base_us = 100;
  j.candidate_us = 150;
  j.speed = Speed::kSlower;
  for (const Said& s : said) {
    j.causes.push_back(s.cause);
    j.shares[s.cause] = s.share;
  }
  j.unexplained = unexplained;
  return j;
}

TEST(PlantedAccuracy, RanksThePlantedCauseByItsPlace) {
  const std::vector<Said> said{{"atomics", 0.6}, {"barrier", 0.3}, {"launch", 0.05}};
  EXPECT_EQ(Pair(kTunedOn, "atomics", said, 0.05).Rank(), 1);
  EXPECT_EQ(Pair(kTunedOn, "barrier", said, 0.05).Rank(), 2);
  EXPECT_EQ(Pair(kTunedOn, "launch", said, 0.05).Rank(), 3);
  EXPECT_EQ(Pair(kTunedOn, "divergence", said, 0.05).Rank(), 0);
  EXPECT_EQ(Pair(kTunedOn, "atomics", {}, 1).Rank(), 0);
}

TEST(PlantedAccuracy, IsMostOfTheChangeOnlyIfFirstAndLargerThanTheRest) {
  EXPECT_TRUE(Pair(kTunedOn, "atomics", {{"atomics", 0.6}}, 0.4).IsMostOfIt());
  EXPECT_FALSE(Pair(kTunedOn, "atomics", {{"atomics", 0.4}}, 0.6).IsMostOfIt());
  EXPECT_FALSE(Pair(kTunedOn, "atomics", {{"atomics", 0.5}}, 0.5).IsMostOfIt());
  EXPECT_FALSE(Pair(kTunedOn, "barrier", {{"atomics", 0.6}, {"barrier", 0.3}}, 0.1).IsMostOfIt());
  EXPECT_FALSE(Pair(kTunedOn, "divergence", {{"atomics", 0.9}}, 0.1).IsMostOfIt());
}

TEST(PlantedAccuracy, CountsAChangeExplainedTwiceOverAsUnexplained) {
  EXPECT_TRUE(Pair(kTunedOn, "atomics", {{"atomics", 1.2}, {"barrier", 0.9}}, -1.1).IsMostOfIt());
  EXPECT_FALSE(Pair(kTunedOn, "atomics", {{"atomics", 1.1}, {"barrier", 1.1}}, -1.2).IsMostOfIt());
}

TEST(PlantedAccuracy, HoldsOutThePairsWhoseHashThreeDivides) {
  EXPECT_TRUE(Pair(kHeldOut, "atomics", {}, 1).answer.IsHeldOut());
  EXPECT_FALSE(Pair(kTunedOn, "atomics", {}, 1).answer.IsHeldOut());
}

TEST(PlantedAccuracyReport, CountsEachThirdOnItsOwn) {
  const std::string report = AccuracyReport(std::vector<JudgedPair>{
      Pair(kTunedOn, "atomics", {{"atomics", 0.9}}, 0.1),                            // first, and most
      Pair(kTunedOn, "atomics", {{"atomics", 0.3}}, 0.7),                            // first
      Pair("smooth_reserve", "barrier", {{"atomics", 0.5}, {"barrier", 0.4}}, 0.1),  // second
      Pair(kHeldOut, "barrier", {{"atomics", 0.5}, {"launch", 0.3}, {"barrier", 0.1}}, 0.1),
  });
  EXPECT_THAT(report, HasSubstr("| tuned on | 2 | 3 | 2 | 1 | 3 |\n"));
  EXPECT_THAT(report, HasSubstr("| held out | 1 | 1 | 0 | 0 | 0 |\n"));
  EXPECT_THAT(report, HasSubstr("| all | 3 | 4 | 2 | 1 | 3 |\n"));
}

TEST(PlantedAccuracyReport, GivesEachPairALineAndLeavesOutWhatIsBelowFivePercent) {
  const std::string report = AccuracyReport(std::vector<JudgedPair>{
      Pair(kHeldOut, "atomics", {{"atomics", 0.8}, {"barrier", 0.05}, {"launch", 0.04}}, 0.11),
      Pair(kTunedOn, "atomics", {}, 1),
  });
  EXPECT_THAT(report,
              HasSubstr("| transpose_padding | transpose_padding_base transpose_padding_candidate | 1024 | 100.0 "
                        "| 150.0 | 1.50 | atomics | atomics 80 %, barrier 5 % | 11 % | held out |\n"));
  EXPECT_THAT(report,
              HasSubstr("| list_walk | list_walk_base list_walk_candidate | 1024 | 100.0 | 150.0 | 1.50 | atomics "
                        "| none | 100 % |  |\n"));
  EXPECT_THAT(report, Not(HasSubstr("launch 4 %")));
}

}  // namespace
}  // namespace culprit::testing
