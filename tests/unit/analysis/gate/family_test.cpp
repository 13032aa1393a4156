// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace culprit {
namespace {

// Processes 0, 1, ... with these values.
std::map<int, double> Of(const std::vector<double>& values) {
  std::map<int, double> by_process;
  for (const double value : values) by_process.emplace(static_cast<int>(by_process.size()), value);
  return by_process;
}

double LevelOf(const std::vector<double>& base, const std::vector<double>& candidate, double allowance = 0) {
  const FamilyMember member{Of(base), Of(candidate), allowance};
  return FamilyLevels(std::span(&member, 1)).front();
}

TEST(Family, ApartProcessesHaveTheLevelOfOneDivision) {
  // 5 and 5 processes have 252 divisions, and one of them is as extreme.
  EXPECT_DOUBLE_EQ(LevelOf({100, 101, 102, 103, 104}, {110, 111, 112, 113, 114}), 1.0 / 252);
  EXPECT_LE(LevelOf({100, 101, 102, 103, 104}, {110, 111, 112, 113, 114}), kFamilyAlarms);
}

TEST(Family, OnlyASlowDownCounts) {
  EXPECT_DOUBLE_EQ(LevelOf({110, 111, 112, 113, 114}, {100, 101, 102, 103, 104}), 1);
}

TEST(Family, FourProcessesShowNothing) {
  EXPECT_DOUBLE_EQ(LevelOf({100, 101, 102, 103}, {200, 201, 202, 203}), 1);
  EXPECT_DOUBLE_EQ(LevelOf({100, 101, 102, 103, 104, 105}, {200, 201, 202, 203}), 1);
}

TEST(Family, EqualValuesShowNothing) {
  EXPECT_DOUBLE_EQ(LevelOf({100, 100, 100, 100, 100}, {100, 100, 100, 100, 100}), 1);
}

TEST(Family, ASlowDownWithinTheAllowanceIsNone) {
  const std::vector<double> base = {99.9, 100, 100.1, 100.05, 99.95}, slower = {102.9, 103, 103.1, 103.05, 102.95};
  EXPECT_LE(LevelOf(base, slower, 0.02), kFamilyAlarms);
  EXPECT_GT(LevelOf(base, slower, 0.04), 0.9);
}

TEST(Family, NoValueIsTakenForATime) {
  EXPECT_DOUBLE_EQ(LevelOf({100, 101, 102, 103, 0}, {110, 111, 112, 113, std::nan("")}), 1) << "four are left";
  // Of 924 divisions of 6 and 6, one is as extreme as the observed one: that in which the two without a value change
  // sides.
  EXPECT_DOUBLE_EQ(LevelOf({100, 101, 102, 103, 104, 0}, {110, 111, 112, 113, 114, std::nan("")}), 2.0 / 924);
}

// `launches` of `processes` per side, of which each process is slower or faster in all launches by a common effect.
std::vector<FamilyMember> Unchanged(int launches, int processes, std::mt19937_64& random) {
  std::student_t_distribution<double> tailed(3);
  std::normal_distribution<double> common(0, 0.002);
  std::vector<FamilyMember> family(static_cast<std::size_t>(launches));
  for (const auto side : {&FamilyMember::base, &FamilyMember::candidate})
    for (int process = 0; process < processes; ++process) {
      const double of_process = common(random);
      for (FamilyMember& member : family) (member.*side)[process] = 100 * std::exp(of_process + 0.001 * tailed(random));
    }
  return family;
}

TEST(Family, FindsTheOneOfAHundredLaunchesThatIsSlower) {
  std::mt19937_64 random(1);
  for (const int processes : {5, 8, 20}) {
    std::vector<FamilyMember> family = Unchanged(100, processes, random);
    for (auto& [process, value] : family[42].candidate) value *= 1.05;
    const std::vector<double> levels = FamilyLevels(family);
    for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(levels[i] <= kFamilyAlarms, i == 42) << i;
  }
}

TEST(Family, FindsManySlowLaunchesAtOnce) {
  std::mt19937_64 random(2);
  std::vector<FamilyMember> family = Unchanged(100, 8, random);
  for (std::size_t i = 0; i < 50; ++i)
    for (auto& [process, value] : family[i].candidate) value *= 1.05;
  const std::vector<double> levels = FamilyLevels(family);
  for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(levels[i] <= kFamilyAlarms, i < 50) << i;
}

// Of 400 families of 40 launches without a change, one in ten may have a launch at the level of 10 %. Three standard
// deviations of the count are added.
TEST(Family, KeepsItsRateForTheWholeFamily) {
  std::mt19937_64 random(3);
  constexpr int kFamilies = 400;
  constexpr double kLevel = 0.1;
  int wrong = 0;
  for (int i = 0; i < kFamilies; ++i) {
    const std::vector<double> levels = FamilyLevels(Unchanged(40, 5, random));
    wrong += std::ranges::min(levels) <= kLevel;
  }
  const double sigma = std::sqrt(kFamilies * kLevel * (1 - kLevel));
  EXPECT_LE(wrong, kFamilies * kLevel + 3 * sigma);
  EXPECT_GE(wrong, kFamilies * kLevel - 3 * sigma) << "a test that never speaks keeps every rate";
}

TEST(Family, HasTheSameAnswerEachTime) {
  std::mt19937_64 random(4);
  const std::vector<FamilyMember> family = Unchanged(10, 12, random);
  EXPECT_EQ(FamilyLevels(family), FamilyLevels(family));
}

}  // namespace
}  // namespace culprit
