// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/decompose.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "analysis/judge/why/attribute.h"
#include "tests/support/random_kernel.h"

namespace culprit {
namespace {

LaunchCounters Simple() {
  return {.time_us = 100,
          .instructions = 1000,
          .active = 1000,
          .elapsed = 1000,
          .clock_mhz = 10,
          .sub_partitions = 1,
          .warp_cycles = {{"selected", 1000}, {"long_scoreboard", 3000}}};
}

double Sum(const StallDifference& stall) {
  double sum = 0;
  for (const auto& [factor, us] : stall.by_factor) sum += us;
  return sum;
}

// Within what doubles hold of numbers of this size.
double Slack(const Decomposition& d) { return 1e-9 * (d.base_us + d.candidate_us); }

TEST(LogarithmicMean, LiesBetweenItsArgumentsAndIsTheArgumentWhereTheyAreEqual) {
  EXPECT_DOUBLE_EQ(LogarithmicMean(3, 3), 3);
  EXPECT_NEAR(LogarithmicMean(1, std::exp(1)), std::exp(1) - 1, 1e-12);
  EXPECT_NEAR(LogarithmicMean(5, 5 * (1 + 1e-12)), 5, 1e-9);
}

TEST(Decompose, GivesTwiceTheInstructionsAtTheSameRateToInstructions) {
  LaunchCounters twice = Simple();
  for (double* value : {&twice.time_us, &twice.instructions, &twice.active, &twice.elapsed}) *value *= 2;
  for (auto& [reason, cycles] : twice.warp_cycles) cycles *= 2;
  const Decomposition d = Decompose(Simple(), twice);
  EXPECT_NEAR(d.factors.at(Factor::kInstructions), 100, 1e-9);
  for (const Factor other : kFactors) {
    if (other == Factor::kInstructions) continue;
    EXPECT_NEAR(d.factors.at(other), 0, 1e-9) << ToText(other);
  }
}

TEST(Decompose, GivesALowerClockToTheClock) {
  LaunchCounters slow = Simple();
  slow.clock_mhz /= 2;
  slow.time_us *= 2;
  EXPECT_NEAR(Decompose(Simple(), slow).factors.at(Factor::kClock), 100, 1e-9);
}

TEST(Decompose, GivesHalfTheWarpsThatWaitEquallyLongToParallelism) {
  LaunchCounters few = Simple();
  few.active *= 2;  // as many warp-cycles, spread over twice the time
  few.elapsed *= 2;
  few.time_us *= 2;
  EXPECT_NEAR(Decompose(Simple(), few).factors.at(Factor::kParallelism), 100, 1e-9);
}

TEST(Decompose, GivesIdleSmsToImbalance) {
  LaunchCounters idle = Simple();
  idle.elapsed *= 3;
  idle.time_us *= 3;
  EXPECT_NEAR(Decompose(Simple(), idle).factors.at(Factor::kImbalance), 200, 1e-9);
}

TEST(Decompose, GivesTimeBeyondTheElapsedCyclesToLaunch) {
  LaunchCounters late = Simple();
  late.time_us += 40;
  EXPECT_NEAR(Decompose(Simple(), late).factors.at(Factor::kLaunch), 40, 1e-9);
}

TEST(Decompose, LeavesTheClockOutWhereOneOfTheTwoHasNone) {
  LaunchCounters unknown = Simple();
  unknown.clock_mhz = 0;
  unknown.time_us = 130;
  const Decomposition d = Decompose(Simple(), unknown);
  EXPECT_DOUBLE_EQ(d.factors.at(Factor::kClock), 0);
  EXPECT_NEAR(d.factors.at(Factor::kLaunch), 30, 1e-9);
}

TEST(Decompose, GivesAStateThatOnlyOneOfThemEntersToLatency) {
  LaunchCounters free = Simple(), stalled = Simple();
  free.warp_cycles["barrier"] = 0;  // measured: what one was not asked for cannot be told from what it did not do
  stalled.warp_cycles["barrier"] = 4000;
  stalled.active = stalled.elapsed = 2000;
  stalled.time_us = 200;
  const Decomposition d = Decompose(free, stalled);
  ASSERT_NE(d.Find("barrier"), nullptr);
  EXPECT_NEAR(d.Find("barrier")->by_factor.at(Factor::kLatency), 100, 1e-9);
  EXPECT_NEAR(d.factors.at(Factor::kLatency), 100, 1e-9);
}

TEST(LaunchCounters, SumTheirWarpCyclesAndHaveNoneInAStateNeverEntered) {
  const LaunchCounters counters = Simple();  // selected 1000, long_scoreboard 3000
  EXPECT_EQ(counters.TotalWarpCycles(), 4000);
  EXPECT_EQ(counters.CyclesIn("long_scoreboard"), 3000);
  EXPECT_EQ(counters.CyclesIn("barrier"), 0);
}

TEST(ReasonsOf, HasThoseOfBoth) {
  LaunchCounters base = Simple(), candidate = Simple();
  base.warp_cycles["barrier"] = 1;
  candidate.warp_cycles["math_pipe"] = 1;
  EXPECT_EQ(ReasonsOf(base, candidate), (std::set<std::string>{"barrier", "long_scoreboard", "math_pipe", "selected"}));
}

TEST(Decompose, KeepsCountersWithTheStatesThatBothHave) {
  LaunchCounters base = Simple();
  base.warp_cycles["barrier"] = 500;
  const Decomposition d = Decompose(base, Simple());
  EXPECT_EQ(d.one_sided, std::set<std::string>{"barrier"});
  EXPECT_FALSE(d.base.warp_cycles.contains("barrier"));
  EXPECT_EQ(d.base.CyclesIn(kUnattributed), 500);
  EXPECT_EQ(d.base.TotalWarpCycles(), base.TotalWarpCycles());
}

TEST(CountersOf, NamesTheCounterThatIsMissing) {
  const KernelRecord record = testing::KernelBuilder("v1").Time(10).Metric("warps_active", 7).record;
  const LaunchCountersResult result = CountersOf(KernelView(record));
  EXPECT_FALSE(result.counters);
  EXPECT_NE(result.why_not.find("inst_issued"), std::string::npos) << result.why_not;
}

TEST(CountersOf, SaysOfALaunchThatWasNotCountedInWhichRunAndWhatToDo) {
  KernelRecord record = testing::KernelBuilder("gather").Time(10).record;
  record.run.run.uuid = "0123456789abcdef";
  record.run.run.profile = "none";
  EXPECT_EQ(CountersOf(KernelView(record)).why_not,
            "counters of gather were not read in run 01234567 (profile none): --profile=full reads them.");
  record.program.emplace().not_counted = "1.7 % of kernel time: use -k to count it";
  EXPECT_EQ(CountersOf(KernelView(record)).why_not,
            "counters of gather were not read in run 01234567 (1.7 % of kernel time: use -k to count it).");
}

struct Two {
  KernelRecord base = testing::RandomKernel("base"), candidate = testing::RandomKernel("candidate");
  KernelView from{base}, to{candidate};

  Decomposition Forth() const { return Decompose(*CountersOf(from).counters, *CountersOf(to).counters); }
  Decomposition Back() const { return Decompose(*CountersOf(to).counters, *CountersOf(from).counters); }
};

RC_GTEST_PROP(Decompose, PartsSumToTheDifferenceWhateverTheCounters, ()) {
  const Two two;
  const Decomposition d = two.Forth();
  double stalls = 0, factors = 0;
  for (const StallDifference& stall : d.stalls) {
    RC_ASSERT(std::abs(Sum(stall) - stall.DeltaUs()) <= Slack(d));
    stalls += stall.DeltaUs();
  }
  for (const auto& [factor, us] : d.factors) factors += us;
  RC_ASSERT(std::abs(stalls - d.DeltaUs()) <= Slack(d));
  RC_ASSERT(std::abs(factors - d.DeltaUs()) <= Slack(d));
}

RC_GTEST_PROP(Decompose, FlipsEverySignWhenTheTwoAreExchanged, ()) {
  const Two two;
  const Decomposition forth = two.Forth(), back = two.Back();
  for (const auto& [factor, us] : forth.factors) RC_ASSERT(std::abs(us + back.factors.at(factor)) <= Slack(forth));
  for (const StallDifference& stall : forth.stalls)
    for (const auto& [factor, us] : stall.by_factor)
      RC_ASSERT(std::abs(us + back.Find(stall.reason)->by_factor.at(factor)) <= Slack(forth));
}

RC_GTEST_PROP(Decompose, FindsNothingBetweenAKernelAndItself, ()) {
  const KernelRecord record = testing::RandomKernel("same");
  const LaunchCounters counters = *CountersOf(KernelView(record)).counters;
  for (const auto& [factor, us] : Decompose(counters, counters).factors) RC_ASSERT(us == 0);
}

RC_GTEST_PROP(Attributor, PartsAndRestSumToTheDifference, ()) {
  const Two two;
  const Decomposition d = two.Forth();
  const Attribution a = Attributor(two.from, two.to).Attribute(d);
  double sum = a.UnexplainedUs();
  for (const auto& [cause, us] : a.parts) {
    RC_ASSERT(std::isfinite(us));
    sum += us;
  }
  RC_ASSERT(std::abs(sum - d.DeltaUs()) <= Slack(d));
}

RC_GTEST_PROP(Attributor, FlipsEverySignWhenTheTwoAreExchanged, ()) {
  const Two two;
  const Attribution forth = Attributor(two.from, two.to).Attribute(two.Forth());
  const Attribution back = Attributor(two.to, two.from).Attribute(two.Back());
  for (const auto& [cause, us] : forth.parts) {
    const auto other = back.parts.find(cause);
    const double mirrored = other == back.parts.end() ? 0 : other->second;
    RC_LOG() << cause << " " << us << " / " << mirrored << "\n";
    RC_ASSERT(std::abs(us + mirrored) <= Slack(two.Forth()));
  }
}

TEST(TellApart, MovesTheirSharesOfAStateIntoStatesOfBoth) {
  LaunchCounters base = Simple(), candidate = Simple();
  TellApart({}, {{"long_scoreboard", {{std::string(states::kCopies), 0.25}}}}, base, candidate);
  EXPECT_DOUBLE_EQ(candidate.CyclesIn("long_scoreboard"), 2250);
  EXPECT_DOUBLE_EQ(candidate.CyclesIn(std::string(states::kCopies)), 750);
  EXPECT_EQ(base.warp_cycles.count(std::string(states::kCopies)), 1u) << "none, which is not: not measured";
  EXPECT_DOUBLE_EQ(base.CyclesIn("long_scoreboard"), 3000);
  EXPECT_DOUBLE_EQ(candidate.TotalWarpCycles(), base.TotalWarpCycles());
  const Decomposition d = Decompose(base, candidate);
  EXPECT_NEAR(d.Find(states::kCopies)->DeltaUs(), 18.75, 1e-9);
  EXPECT_NEAR(d.Find("long_scoreboard")->DeltaUs(), -18.75, 1e-9);
}

TEST(TellApart, TakesWarpsThatAreDoneForGone) {
  LaunchCounters base = Simple(), candidate = Simple();
  candidate.warp_cycles["barrier"] = 1000;
  TellApart({}, {{"barrier", {{std::string(states::kDone), 1}}}}, base, candidate);
  EXPECT_DOUBLE_EQ(candidate.TotalWarpCycles(), base.TotalWarpCycles());
  EXPECT_FALSE(candidate.warp_cycles.contains(std::string(states::kDone)));
}

}  // namespace
}  // namespace culprit
