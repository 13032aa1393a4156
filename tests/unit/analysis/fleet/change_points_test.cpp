// SPDX-License-Identifier: Apache-2.0
// tests/noise/fleet_series_test.cpp has the rates of false steps and of found ones.
#include "analysis/fleet/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace culprit {
namespace {

constexpr double kNoise = 0.003, kLevel = 1e-4;

// Each part is a number of runs and their level.
std::vector<double> Runs(std::initializer_list<std::pair<int, double>> parts, double noise = kNoise) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, noise);
  std::vector<double> runs;
  for (const auto& [count, level] : parts)
    for (int i = 0; i < count; ++i) runs.push_back(std::log(level) + normal(random));
  return runs;
}

TEST(Steps, ALastingStepIsFoundWhereItIs) {
  const std::vector<Step> steps = FindSteps(Runs({{40, 100}, {20, 105}}), kNoise, kLevel);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].run, 40u);
  EXPECT_TRUE(steps[0].is_lasting);
  EXPECT_LT(steps[0].low, 0.05);
  EXPECT_GT(steps[0].high, 0.05);
  EXPECT_GT(steps[0].low, 0.045);
  EXPECT_LE(steps[0].p, kLevel);
  EXPECT_FALSE(steps[0].level_of.has_value());
  EXPECT_LE(steps[0].earliest, 40u);
  EXPECT_GE(steps[0].latest, 40u);
}

TEST(Steps, AnImprovementIsAStepToo) {
  const std::vector<Step> steps = FindSteps(Runs({{40, 105}, {20, 100}}), kNoise, kLevel);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_NEAR(steps[0].change, 100.0 / 105 - 1, 0.004);
}

TEST(Steps, AYoungStepIsASuspectAndLaterLasts) {
  const std::vector<double> runs = Runs({{40, 100}, {20, 105}});
  EXPECT_TRUE(FindSteps(std::span(runs).first(42), kNoise, kLevel).empty()) << "two runs may be two outliers";
  const std::vector<Step> young = FindSteps(std::span(runs).first(44), kNoise, kLevel);
  ASSERT_EQ(young.size(), 1u);
  EXPECT_FALSE(young[0].is_lasting);
  EXPECT_EQ(young[0].run, 40u);
}

TEST(Steps, WhatWasAnnouncedStays) {
  const std::vector<double> runs = Runs({{30, 100}, {30, 104}, {30, 110}});
  const std::vector<Step> all = FindSteps(runs, kNoise, kLevel);
  ASSERT_EQ(all.size(), 2u);
  for (const Step& step : all) {
    const std::vector<Step> then = FindSteps(std::span(runs).first(step.known_at + 1), kNoise, kLevel);
    ASSERT_FALSE(then.empty());
    EXPECT_TRUE(then.back().is_lasting);
    EXPECT_EQ(then.back().run, step.run);
    EXPECT_EQ(then.back().p, step.p);
    const std::vector<Step> before = FindSteps(std::span(runs).first(step.known_at), kNoise, kLevel);
    EXPECT_TRUE(before.empty() || !before.back().is_lasting || before.back().run < step.run);
  }
}

TEST(Steps, AnUndoneStepReturnsToTheFormerLevel) {
  const std::vector<Step> steps = FindSteps(Runs({{40, 100}, {15, 110}, {40, 100}}), kNoise, kLevel);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_FALSE(steps[0].level_of.has_value());
  EXPECT_EQ(steps[1].level_of, std::optional<std::size_t>(0));
}

TEST(Steps, DriftIsNoStepButDrift) {
  std::vector<double> runs = Runs({{60, 100}});
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] += 0.1 * static_cast<double>(i) / 59;
  EXPECT_TRUE(FindSteps(runs, kNoise, kLevel).empty());
  const std::optional<Drift> drift = FindDrift(runs, {}, kNoise, kLevel);
  ASSERT_TRUE(drift.has_value());
  EXPECT_NEAR(drift->change, std::expm1(0.1), 0.006);
  EXPECT_LT(drift->low, drift->change);
}

TEST(Steps, AStepIsNoDrift) {
  const std::vector<double> runs = Runs({{30, 100}, {30, 110}});
  EXPECT_FALSE(FindDrift(runs, FindSteps(runs, kNoise, kLevel), kNoise, kLevel).has_value());
  EXPECT_TRUE(FindDrift(runs, {}, kNoise, kLevel).has_value()) << "if nobody tells that there is one";
}

TEST(Steps, BesideADriftAStepIsFound) {
  std::vector<double> runs = Runs({{40, 100}, {30, 106}});
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] -= 0.001 * static_cast<double>(i);
  const std::vector<Step> steps = FindSteps(runs, kNoise, kLevel);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].run, 40u);
  EXPECT_NEAR(steps[0].change, 0.06, 0.01);
}

// 30 days with a run each, 60 without one, 30 with one.
std::vector<double> DaysWithAGap() {
  std::vector<double> days;
  for (int day = 0; day < 120; ++day)
    if (day < 30 || day >= 90) days.push_back(day);
  return days;
}
void AddDrift(std::vector<double>& runs, const std::vector<double>& days, double of_day) {
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] += of_day * days[i];
}

TEST(Steps, ADriftWithMissingNightsIsNone) {
  const std::vector<double> days = DaysWithAGap();
  std::vector<double> runs = Runs({{60, 100}});
  AddDrift(runs, days, 0.001);
  EXPECT_TRUE(FindSteps(runs, kNoise, kLevel, days).empty());
  EXPECT_EQ(LeastP(runs, kNoise, 0, 0, days), 1);
  const std::optional<Drift> drift = FindDrift(runs, {}, kNoise, kLevel, days);
  ASSERT_TRUE(drift.has_value());
  EXPECT_NEAR(drift->change, std::expm1(0.119), 0.006);
  EXPECT_FALSE(FindSteps(runs, kNoise, kLevel).empty()) << "the gap would be a step if nights were not missing";
}

TEST(Steps, BesideADriftWithMissingNightsAStepIsFound) {
  const std::vector<double> days = DaysWithAGap();
  std::vector<double> runs = Runs({{40, 100}, {20, 106}});
  AddDrift(runs, days, -0.001);
  const std::vector<Step> steps = FindSteps(runs, kNoise, kLevel, days);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].run, 40u);
  EXPECT_NEAR(steps[0].change, 0.06, 0.01);
  EXPECT_LE(LeastP(runs, kNoise, 0, 0, days), kLevel);
  const std::optional<Drift> drift = FindDrift(runs, steps, kNoise, kLevel, days);
  ASSERT_TRUE(drift.has_value());
  EXPECT_NEAR(drift->change, std::expm1(-0.119), 0.01);
}

TEST(Steps, OfRunsOnOneDayHaveNoDrift) {
  const std::vector<double> runs = Runs({{12, 100}, {12, 105}}), one_day(24, 20'000.0);
  const std::vector<Step> steps = FindSteps(runs, kNoise, kLevel, one_day);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].run, 12u);
  EXPECT_NEAR(steps[0].change, 0.05, 0.003);
  EXPECT_FALSE(FindDrift(runs, {}, kNoise, kLevel, one_day).has_value());
  std::vector<double> two_days(24, 20'000.0);
  for (std::size_t i = 12; i < two_days.size(); ++i) two_days[i] += 7;
  EXPECT_EQ(FindSteps(runs, kNoise, kLevel, two_days).size(), 1u);
}

TEST(Steps, DaysThatFollowEachOtherChangeNothing) {
  const std::vector<double> runs = Runs({{40, 100}, {20, 105}});
  std::vector<double> days;
  for (int i = 0; i < 60; ++i) days.push_back(20'000 + i);
  const std::vector<Step> with = FindSteps(runs, kNoise, kLevel, days), without = FindSteps(runs, kNoise, kLevel);
  ASSERT_EQ(with.size(), 1u);
  ASSERT_EQ(without.size(), 1u);
  EXPECT_DOUBLE_EQ(with[0].p, without[0].p);
  EXPECT_DOUBLE_EQ(with[0].low, without[0].low);
}

TEST(Steps, ThreeNightsOfAModeThatWasSeenBeforeAreNone) {
  std::vector<double> runs = Runs({{60, 100}, {3, 110}});
  for (const std::size_t night : {7u, 20u, 33u, 47u}) runs[night] += std::log(1.1);
  EXPECT_TRUE(FindSteps(runs, kNoise, kLevel).empty());
}

TEST(Steps, FewOrEqualRunsShowNothing) {
  EXPECT_TRUE(FindSteps({}, kNoise, 1).empty());
  EXPECT_TRUE(FindSteps(Runs({{3, 100}, {2, 200}}), kNoise, kLevel).empty());
  EXPECT_TRUE(FindSteps(std::vector<double>(50, 4.0), 0, kLevel).empty());
  EXPECT_FALSE(FindDrift(std::vector<double>(50, 4.0), {}, 0, kLevel).has_value());
  EXPECT_FALSE(FindDrift({}, {}, kNoise, kLevel).has_value());
}

TEST(Steps, AStepBelowTheKnownNoiseIsNone) {
  const std::vector<double> runs = Runs({{40, 100}, {20, 101}}, 0.0001);
  EXPECT_EQ(FindSteps(runs, 0.0001, kLevel).size(), 1u);
  EXPECT_TRUE(FindSteps(runs, 0.02, kLevel).empty()) << "runs that happen to agree do not lower the known noise";
}

TEST(Steps, TheLeastPTellsWhetherThereIsOne) {
  const std::vector<double> runs = Runs({{40, 100}, {20, 105}, {20, 105}});
  const double least = LeastP(runs, kNoise, 0);
  EXPECT_LE(least, kLevel);
  EXPECT_FALSE(FindSteps(runs, kNoise, least).empty());
  EXPECT_EQ(LeastP(runs, kNoise, kLevel, 60), 1) << "no new one in the last 20 runs";
  EXPECT_EQ(LeastP(Runs({{60, 100}}), kNoise, 0), 1);
}

TEST(Steps, AScreeningTakesTheLevelOfBenjaminiAndHochberg) {
  // 5 % of the share of ranks: 0.0125, 0.025, 0.0375, 0.05. The third p is the last one below.
  EXPECT_EQ(ScreeningLevel({0.9, 0.03, 0.001, 0.02}, 0.05), 0.03);
  EXPECT_EQ(ScreeningLevel({0.9, 0.06, 0.2, 0.06}, 0.05), 0);
  EXPECT_EQ(ScreeningLevel({}, 0.05), 0);
  EXPECT_DOUBLE_EQ(FleetLevel(100'000), 5e-7);
}

TEST(Steps, AFloorIsAQuantileOfDifferencesOfTwo) {
  const NoiseFloor floor{.change = 0.01, .source = "", .clock_change = 0.014, .in_turns = 0};
  const double noise = NoiseBetweenRuns(floor, true);
  EXPECT_NEAR(noise, 0.002745, 1e-6);
  EXPECT_GT(NoiseBetweenRuns(floor, false), noise);
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal(0, noise);
  int beyond = 0;
  for (int i = 0; i < 100'000; ++i) beyond += std::abs(normal(random) - normal(random)) > floor.change;
  EXPECT_NEAR(beyond, 1000, 150);
}

}  // namespace
}  // namespace culprit
