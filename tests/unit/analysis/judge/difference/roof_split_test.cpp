// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/roof_split.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace culprit {
namespace {

constexpr double kStart = 3500;

// One warp on one sub-partition that is active for all of `us` at 1 MHz, in state "wait".
LaunchCounters Active(double us, double warps = 1) {
  return {.time_us = us,
          .instructions = 1,
          .active = us,
          .elapsed = us,
          .clock_mhz = 1,
          .sub_partitions = 1,
          .warp_cycles = {{"wait", warps * us}}};
}

double LatencyUs(const RoofSplit& split) {
  return std::accumulate(split.latency.begin(), split.latency.end(), 0.0,
                         [](double sum, const StallDifference& s) { return sum + s.DemandUs(); });
}

double UnitUs(const RoofSplit& split, const std::vector<UnitNeed>& needs, std::size_t unit) {
  return split.units[unit] * (needs[unit].candidate - needs[unit].base);
}

double SumOf(const RoofSplit& split, const std::vector<UnitNeed>& needs) {
  double sum = LatencyUs(split) + split.beyond_units_us;
  for (const auto& [factor, us] : split.factors) sum += us;
  for (std::size_t u = 0; u < needs.size(); ++u) sum += UnitUs(split, needs, u);
  return sum;
}

TEST(RoofSplit, GivesAllToLatencyWhereNoUnitWorks) {
  const RoofSplit split = SplitByRoof(Active(100), Active(150), {}, kStart);
  EXPECT_NEAR(LatencyUs(split), 50, 1e-9);
}

TEST(RoofSplit, GivesMostToAUnitThatAlwaysWorks) {
  const std::vector<UnitNeed> needs = {{98, 147}};
  const RoofSplit split = SplitByRoof(Active(100), Active(150), needs, kStart);
  EXPECT_GT(UnitUs(split, needs, 0), 40);
  EXPECT_NEAR(SumOf(split, needs), 50, 1e-9);
}

TEST(RoofSplit, GivesNearlyNothingToAUnitThatHardlyWorks) {
  const std::vector<UnitNeed> needs = {{10, 20}};
  const RoofSplit split = SplitByRoof(Active(100), Active(150), needs, kStart);
  EXPECT_LT(UnitUs(split, needs, 0), 0.2);
  EXPECT_NEAR(SumOf(split, needs), 50, 1e-9);
}

// With a unit full, three times the warps wait three times as long in all, and nothing gets faster: no huge parts.
TEST(RoofSplit, GivesWarpsLittleUnderARoof) {
  const std::vector<UnitNeed> needs = {{97, 97}};
  const RoofSplit split = SplitByRoof(Active(100), Active(100, 3), needs, kStart);
  EXPECT_LT(std::abs(split.factors.at(Factor::kParallelism)), 20);
  EXPECT_NEAR(SumOf(split, needs), 0, 1e-9);
}

TEST(RoofSplit, GivesWarpsAllWhereLatencyDecides) {
  // As much waiting by a third of the warps.
  LaunchCounters few = Active(300);
  few.warp_cycles = {{"wait", 300}};
  const RoofSplit split = SplitByRoof(Active(100, 3), few, {}, kStart);
  EXPECT_NEAR(split.factors.at(Factor::kParallelism), 200, 1e-9);
}

TEST(RoofSplit, GivesWarpsWhatTheyWereMeasuredToCost) {
  // Half of what 100 us become is a unit's, so latency has less than 200 us: what warps take beyond it the unit lacks.
  const std::vector<UnitNeed> needs = {{90, 270}};
  const LaunchCounters base = Active(100, 3), candidate = Active(300);
  const double mean = 200 / std::log(3.0);
  for (const double slowdown : {1.0, 1.5, 2.9}) {
    const RoofSplit split = SplitByRoof(base, candidate, needs, kStart, slowdown);
    EXPECT_NEAR(split.factors.at(Factor::kParallelism), mean * std::log(slowdown), 1e-9);
    EXPECT_NEAR(SumOf(split, needs), 200, 1e-9);
    EXPECT_GE(LatencyUs(split), -1e-9);
    EXPECT_GE(UnitUs(split, needs, 0), 0);
  }
  EXPECT_NEAR(SplitByRoof(base, candidate, needs, kStart, 10.0).factors.at(Factor::kParallelism), 200, 1e-9);
}

// Either unit alone would take the time of both: half of it each.
TEST(RoofSplit, SharesWhatTwoUnitsDoTogether) {
  const std::vector<UnitNeed> needs = {{10, 190}, {10, 190}};
  const RoofSplit split = SplitByRoof(Active(100), Active(200), needs, kStart);
  EXPECT_DOUBLE_EQ(split.units[0], split.units[1]);
  EXPECT_GT(UnitUs(split, needs, 0), 40);
  EXPECT_NEAR(SumOf(split, needs), 100, 1e-9);
}

// 3,000 cycles until the first block of a short kernel runs: they do not grow with its work.
TEST(RoofSplit, AddsTheStartOfALaunchInsteadOfMultiplyingIt) {
  LaunchCounters base = Active(6000), candidate = Active(12000);
  for (LaunchCounters* c : {&base, &candidate}) {
    c->elapsed += 3000;
    c->time_us += 3000;
  }
  const RoofSplit split = SplitByRoof(base, candidate, {}, kStart);
  EXPECT_NEAR(LatencyUs(split), 6000, 1e-6);
  EXPECT_NEAR(split.factors.at(Factor::kImbalance), 0, 1e-6);
}

TEST(RoofSplit, KeepsWhatGotBetterApartFromWhatGotWorse) {
  // 20 us less of waiting, then twice the clock period.
  LaunchCounters candidate = Active(80);
  candidate.time_us = 160;
  candidate.clock_mhz = 0.5;
  const RoofSplit split = SplitByRoof(Active(100), candidate, {}, kStart);
  EXPECT_NEAR(LatencyUs(split), -20, 1e-9);
  EXPECT_NEAR(split.factors.at(Factor::kClock), 80, 1e-9);
}

TEST(RoofSplit, SaysWhatUnitsWereCountedBeyondWhatTheyCan) {
  // 120 cycles of work in 100: the counters' error, nobody's doing.
  const std::vector<UnitNeed> needs = {{120, 120}};
  const RoofSplit split = SplitByRoof(Active(100), Active(150), needs, kStart);
  EXPECT_NEAR(SumOf(split, needs), 50, 1e-9);
  EXPECT_EQ(UnitUs(split, needs, 0), 0);
  EXPECT_GT(split.beyond_units_us, 0);
}

struct Drawn {
  LaunchCounters counters;
  std::vector<double> units;
};
Drawn Draw() {
  const auto amount = [](int most) { return static_cast<double>(*rc::gen::inRange(1, most)); };
  Drawn drawn{Active(10 + amount(1000), amount(64)), {}};
  drawn.counters.elapsed = drawn.counters.active * (1 + amount(100) / 100);
  drawn.counters.clock_mhz = 1000 + amount(900);
  drawn.counters.warp_cycles["barrier"] = amount(100000);
  for (int u = 0; u < 3; ++u) drawn.units.push_back(drawn.counters.active * amount(120) / 100);
  return drawn;
}
std::optional<double> DrawSlowdown() {
  return *rc::gen::element(true, false) ? std::optional(1 + *rc::gen::inRange(0, 500) / 100.0) : std::nullopt;
}
std::vector<UnitNeed> NeedsOf(const Drawn& base, const Drawn& candidate) {
  std::vector<UnitNeed> needs;
  for (std::size_t u = 0; u < base.units.size(); ++u) needs.push_back({base.units[u], candidate.units[u]});
  return needs;
}

RC_GTEST_PROP(RoofSplitProperty, PartsSumToTheDifference, ()) {
  const Drawn base = Draw(), candidate = Draw();
  const std::optional<double> slowdown = DrawSlowdown();
  const auto needs = NeedsOf(base, candidate);
  const RoofSplit split = SplitByRoof(base.counters, candidate.counters, needs, kStart, slowdown);
  const double delta = candidate.counters.time_us - base.counters.time_us;
  RC_ASSERT(std::abs(SumOf(split, needs) - delta) < 1e-6 * (base.counters.time_us + candidate.counters.time_us));
}

RC_GTEST_PROP(RoofSplitProperty, ExchangingTheTwoFlipsEverySign, ()) {
  const Drawn base = Draw(), candidate = Draw();
  const std::optional<double> slowdown = DrawSlowdown();
  const RoofSplit there = SplitByRoof(base.counters, candidate.counters, NeedsOf(base, candidate), kStart, slowdown);
  const RoofSplit back = SplitByRoof(candidate.counters, base.counters, NeedsOf(candidate, base), kStart, slowdown);
  const double slack = 1e-9 * (base.counters.time_us + candidate.counters.time_us);
  for (std::size_t u = 0; u < base.units.size(); ++u) RC_ASSERT(std::abs(there.units[u] - back.units[u]) < slack);
  for (const auto& [factor, us] : there.factors) RC_ASSERT(std::abs(us + back.factors.at(factor)) < slack);
  for (std::size_t i = 0; i < there.latency.size(); ++i)
    RC_ASSERT(std::abs(there.latency[i].DemandUs() + back.latency[i].DemandUs()) < slack);
}

// What got worse did not take longer than the candidate, what got better not longer than the base.
RC_GTEST_PROP(RoofSplitProperty, NoPartIsLargerThanTheKernelThatHasIt, ()) {
  const Drawn base = Draw(), candidate = Draw();
  const std::optional<double> slowdown = DrawSlowdown();
  const auto needs = NeedsOf(base, candidate);
  const RoofSplit split = SplitByRoof(base.counters, candidate.counters, needs, kStart, slowdown);
  double worse = 0, better = 0;
  const auto add = [&](double us) { (us > 0 ? worse : better) += us; };
  for (const auto& [factor, us] : split.factors) add(us);
  for (const StallDifference& stall : split.latency) add(stall.DemandUs());
  for (std::size_t u = 0; u < needs.size(); ++u) add(UnitUs(split, needs, u));
  add(split.beyond_units_us);
  RC_ASSERT(worse <= candidate.counters.time_us * (1 + 1e-9));
  RC_ASSERT(-better <= base.counters.time_us * (1 + 1e-9));
}

// A cycle of a unit costs no more than a cycle.
RC_GTEST_PROP(RoofSplitProperty, PricesLieBetweenNothingAndAll, ()) {
  const Drawn base = Draw(), candidate = Draw();
  const std::optional<double> slowdown = DrawSlowdown();
  const RoofSplit split = SplitByRoof(base.counters, candidate.counters, NeedsOf(base, candidate), kStart, slowdown);
  const double slowest =
      std::max(base.counters.time_us / base.counters.active, candidate.counters.time_us / candidate.counters.active);
  for (const double price : split.units)
    RC_ASSERT(price >= -1e-12 * slowest && price <= slowest * (1 + 1e-3));  // the last digit of a sum of powers
}

}  // namespace
}  // namespace culprit
