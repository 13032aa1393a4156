// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/analysis/random_kernel.h"
#include "tests/unit/analysis/why_kernel.h"

namespace culprit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KernelBuilder;
using ::testing::Not;
using testing::Spending;

Explanation Explained(const KernelBuilder& base, const KernelBuilder& candidate) {
  return Explain(KernelView(base.record), KernelView(candidate.record));
}

std::vector<std::string> CausesOf(const Explanation& e) {
  std::vector<std::string> causes;
  for (const CausePart& part : e.causes) causes.push_back(part.cause);
  return causes;
}

std::vector<std::string> MissingFor(const Explanation& e, const std::string& cause) {
  for (const CauseNotJudged& n : e.not_judged)
    if (n.cause == cause) return n.missing;
  return {};
}

double SumOfParts(const Explanation& e) {
  double sum = e.unexplained_us;
  for (const CausePart& part : e.causes) sum += part.delta_us;
  return sum;
}

// Work, its instructions, waiting for immediate constants, and their misses.
KernelBuilder Kernel(const std::string& stage, double work_us, double constant_us, double misses) {
  return Spending(stage, {{"selected", work_us}, {"imc_miss", constant_us}})
      .Metric("inst_issued", 25 * work_us)
      .Metric("imc_misses", misses);
}

// Reading i of five: `spread` around the reading, which stays their median.
void Repeat(KernelBuilder& k, const std::string& id, double spread) {
  const double value = *KernelView(k.record).Get(id);
  for (const double step : {0.5, -1.0, 0.0, 1.0, -0.5}) k.record.repeats[id].push_back(value * (1 + spread * step));
}

KernelBuilder Scattered(KernelBuilder k, double spread) {
  for (std::size_t i = 0; i < k.record.samples.size(); ++i)
    k.record.samples[i].time_us *= 1 + spread * (static_cast<double>(i % 5) - 2) / 2;
  for (const char* id : {"warps_active", "smsp_cycles_active", "smsp_cycles_elapsed", "inst_issued"})
    Repeat(k, id, spread / 4);
  for (const char* id : {"stall_selected", "stall_imc_miss"}) Repeat(k, id, spread);
  return k;
}

TEST(Explain, ListsCausesByMicrosecondsWhoseSumWithTheUnexplainedIsTheDifference) {
  const Explanation e = Explained(Kernel("base", 40, 10, 100), Kernel("candidate", 60, 40, 400));
  EXPECT_EQ(e.verdict.outcome, Outcome::kSlower);
  ASSERT_THAT(CausesOf(e), ElementsAre("constant_cache", "instruction_count"));
  EXPECT_NEAR(e.causes[0].delta_us, 30, 1e-6);
  EXPECT_NEAR(e.causes[0].share, 0.6, 1e-6);
  EXPECT_NEAR(e.causes[1].delta_us, 20, 1e-6);
  EXPECT_NEAR(e.unexplained_us, 0, 1e-6);
  EXPECT_EQ(e.causes[0].text, "Constants not at hand: 30.00 us more, 60.0 % of the change.");
}

TEST(Explain, PutsWhatWorksAgainstTheChangeLast) {
  // 30 us more of constants against 5 us less of work.
  const Explanation slower = Explained(Kernel("base", 60, 10, 100), Kernel("candidate", 55, 40, 400));
  ASSERT_THAT(CausesOf(slower), ElementsAre("constant_cache", "instruction_count"));
  EXPECT_NEAR(slower.causes[1].delta_us, -5, 1e-6);
  EXPECT_NEAR(slower.causes[1].share, -0.2, 1e-6);
  // Even where more works against it than the smallest cause in its direction did.
  const auto multiplying = [](double work_us, double constant_us, double misses, double gmma_us) {
    return Spending("k", {{"selected", work_us}, {"imc_miss", constant_us}, {"gmma", gmma_us}})
        .Metric("inst_issued", 25 * work_us)
        .Metric("imc_misses", misses)
        .Metric("tensor_gmma_inst", 10 * gmma_us);
  };
  EXPECT_THAT(CausesOf(Explained(multiplying(60, 10, 100, 2), multiplying(55, 40, 400, 4))),
              ElementsAre("constant_cache", "tensor_pipe", "instruction_count"));
  const Explanation faster = Explained(Kernel("base", 55, 40, 400), Kernel("candidate", 60, 10, 100));
  EXPECT_EQ(faster.verdict.outcome, Outcome::kFaster);
  EXPECT_THAT(CausesOf(faster), ElementsAre("constant_cache", "instruction_count"));
}

TEST(Explain, LeavesAPartBelowTheNoiseFloorUnexplained) {
  // The floor of a kernel of 50 us is 1 %: 0.5 us. 0.4 us of constants do not reach it, 0.6 us do.
  const Explanation below = Explained(Kernel("base", 40, 10, 100), Kernel("candidate", 60, 10.4, 400));
  EXPECT_THAT(CausesOf(below), ElementsAre("instruction_count"));
  EXPECT_NEAR(below.unexplained_us, 0.4, 1e-6);
  const Explanation above = Explained(Kernel("base", 40, 10, 100), Kernel("candidate", 60, 10.6, 400));
  EXPECT_THAT(CausesOf(above), ElementsAre("instruction_count", "constant_cache"));
}

TEST(Explain, LeavesAPartSmallerThanItsOwnNoiseUnexplained) {
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 60, 12, 400);
  for (KernelBuilder* k : {&base, &candidate})
    for (const char* id : {"warps_active", "stall_selected"}) Repeat(*k, id, 0);
  Repeat(base, "stall_imc_miss", 0);
  EXPECT_THAT(CausesOf(Explained(base, candidate)), ElementsAre("instruction_count", "constant_cache"))
      << "with counters that repeat exactly";
  // Now the 12 us are the middle of 6 to 18.
  Repeat(candidate, "stall_imc_miss", 0.5);
  const Explanation e = Explained(base, candidate);
  EXPECT_THAT(CausesOf(e), ElementsAre("instruction_count"));
  EXPECT_NEAR(e.unexplained_us, 2, 1e-6);
}

TEST(Explain, GivesEachPartAnIntervalAroundIt) {
  const Explanation e =
      Explained(Scattered(Kernel("base", 40, 10, 100), 0.02), Scattered(Kernel("candidate", 60, 40, 400), 0.02));
  ASSERT_EQ(e.causes.size(), 2u);
  for (const CausePart& part : e.causes) {
    ASSERT_TRUE(part.interval) << part.cause;
    EXPECT_LT(part.interval->low, part.delta_us) << part.cause;
    EXPECT_GT(part.interval->high, part.delta_us) << part.cause;
    // The 2 % by which each state scatters are at most 1.2 us of 60, on either side of either kernel.
    EXPECT_LT(part.interval->high - part.interval->low, 4 * 1.2) << part.cause;
  }
  for (const StallDifference& stall : e.decomposition->stalls) {
    const Interval& interval = e.stall_intervals.at(stall.reason);
    EXPECT_LT(interval.low, stall.DeltaUs()) << stall.reason;
    EXPECT_GT(interval.high, stall.DeltaUs()) << stall.reason;
  }
}

TEST(Explain, WidensAnIntervalToAPartThatNoRepetitionShows) {
  const auto kernel = [](const char* stage, double work_us) {
    return Spending(stage, {{"selected", work_us}, {"imc_miss", 10}, {"sleeping", 10}})
        .Metric("inst_issued", 25 * work_us);
  };
  KernelBuilder candidate = kernel("candidate", 40);
  candidate.record.repeats = {{"stall_selected", {40e3, 40e3, 60e3}},
                              {"stall_imc_miss", {1e3, 10e3, 10e3}},
                              {"stall_sleeping", {10e3, 1e3, 10e3}},
                              {"warps_active", {51e3, 51e3, 80e3}}};
  // Work is 40 of 60 us by the medians, but 47 and 45 us of 60 in the repetitions.
  const Explanation e = Explained(kernel("base", 20), candidate);
  EXPECT_NEAR(e.stall_intervals.at("selected").low, 20, 1e-6);
  EXPECT_NEAR(e.stall_intervals.at("selected").high, 60 * 40 / 51.0 - 20, 1e-6);
  ASSERT_EQ(e.causes.front().cause, "instruction_count");
  EXPECT_LE(e.causes.front().interval->low, e.causes.front().delta_us);
  EXPECT_GE(e.causes.front().interval->high, e.causes.front().delta_us);
}

RC_GTEST_PROP(Explain, EveryIntervalHoldsItsPart, ()) {
  const auto kernel = [](const char* stage) {
    KernelBuilder k(stage);
    k.record = testing::RandomKernel(stage);
    k.record.samples.assign(8, k.record.samples.front());
    for (Sample& sample : k.record.samples) sample.time_us *= 1 + 0.0001 * *rc::gen::inRange(-100, 100);
    const std::vector<Reading> readings = k.record.readings;
    for (const Reading& r : readings)
      if (r.metric.id.starts_with("stall_") || r.metric.id == "warps_active" || r.metric.id.starts_with("smsp_"))
        Repeat(k, r.metric.id, 0.0001 * *rc::gen::inRange(0, 1000));
    return k;
  };
  const Explanation e = Explained(kernel("base"), kernel("candidate"));
  for (const CausePart& part : e.causes) {
    RC_LOG() << part.cause << " " << part.interval->low << " <= " << part.delta_us << " <= " << part.interval->high;
    RC_ASSERT(part.interval->low <= part.delta_us + 1e-9);
    RC_ASSERT(part.interval->high >= part.delta_us - 1e-9);
  }
  RC_ASSERT(std::abs(SumOfParts(e) - e.DeltaUs()) < 1e-6);
}

void ExpectSame(const Interval& a, const Interval& b) {
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

TEST(Explain, GivesTheSameIntervalsWhereverTheLaunchIsStored) {
  const KernelBuilder base = Scattered(Kernel("base", 40, 10, 100), 0.02);
  const KernelBuilder candidate = Scattered(Kernel("candidate", 60, 40, 400), 0.02);
  KernelBuilder stored_elsewhere = candidate;
  stored_elsewhere.record.id = 4711;
  stored_elsewhere.record.run.id = 17;
  const Explanation here = Explained(base, candidate), there = Explained(base, stored_elsewhere);
  ASSERT_EQ(here.causes.size(), there.causes.size());
  for (std::size_t i = 0; i < here.causes.size(); ++i) ExpectSame(*here.causes[i].interval, *there.causes[i].interval);
  for (const auto& [factor, interval] : here.factor_intervals) ExpectSame(interval, there.factor_intervals.at(factor));
}

TEST(Explain, MirrorsIntervalsWhenTheTwoAreExchanged) {
  const KernelBuilder base = Scattered(Kernel("base", 40, 10, 100), 0.02);
  const KernelBuilder candidate = Scattered(Kernel("candidate", 60, 40, 400), 0.02);
  const Explanation forth = Explained(base, candidate), back = Explained(candidate, base);
  ASSERT_EQ(forth.causes.size(), back.causes.size());
  for (std::size_t i = 0; i < forth.causes.size(); ++i) {
    EXPECT_NEAR(forth.causes[i].interval->low, -back.causes[i].interval->high, 1e-9);
    EXPECT_NEAR(forth.causes[i].interval->high, -back.causes[i].interval->low, 1e-9);
  }
}

TEST(Explain, DrawsForTheSameStageOfTwoRunsEachOnItsOwn) {
  const KernelBuilder first = Scattered(Kernel("k", 40, 10, 100), 0.02);
  KernelBuilder second = first;
  second.record.run.run.uuid = "99999999-2222-4333-8444-555555555555";
  const Interval& work = Explained(first, second).stall_intervals.at("selected");
  EXPECT_LT(work.low, 0) << "two that draw alike never differ";
  EXPECT_GT(work.high, 0);
}

// 34 of 64 samples at `most`, the others at `least`.
KernelBuilder InTwoGroups(double most, double least) {
  KernelBuilder k = Kernel("grouped", 40, 60, 100);
  const Sample sample = k.record.samples.front();
  k.record.samples.assign(64, sample);
  for (std::size_t i = 0; i < 64; ++i) k.record.samples[i].time_us = i < 34 ? most : least;
  return k;
}

TEST(Explain, IsAmbiguousWhereTheSamplesSaySlowerAndTheirMediansFaster) {
  // 34 x 34 of the 64 x 64 pairs are faster by 5 %, all others slower by 40 % or more; the medians are the 100 us and
  // the 95 us.
  const KernelBuilder base = InTwoGroups(100, 60), candidate = InTwoGroups(95, 140);
  ASSERT_EQ(JudgeSpeed(base.record.samples, candidate.record.samples, {0.01, "invented", 0.014}).outcome,
            Outcome::kSlower);
  for (const bool forth : {true, false}) {
    const Explanation e = forth ? Explained(base, candidate) : Explained(candidate, base);
    EXPECT_EQ(e.verdict.outcome, Outcome::kAmbiguous);
    EXPECT_THAT(e.verdict.reason, HasSubstr(forth ? "as a whole are slower" : "as a whole are faster"));
    EXPECT_THAT(e.causes, IsEmpty());
    EXPECT_DOUBLE_EQ(e.unexplained_us, forth ? -5 : 5);
  }
}

TEST(Explain, HoldsAVerdictThatTheMediansShare) {
  EXPECT_EQ(Explained(InTwoGroups(100, 60), InTwoGroups(105, 140)).verdict.outcome, Outcome::kSlower);
}

TEST(Explain, FindsNothingBetweenAKernelAndItself) {
  const KernelBuilder k = Scattered(Kernel("k", 40, 10, 100), 0.02);
  const Explanation e = Explained(k, k);
  EXPECT_EQ(e.verdict.outcome, Outcome::kSame);
  EXPECT_THAT(e.causes, IsEmpty());
  EXPECT_TRUE(e.decomposition);
}

TEST(Explain, LeavesTheWholeDifferenceUnexplainedWithoutACounterAndSaysWhich) {
  const Explanation e =
      Explained(Kernel("base", 40, 10, 100), Kernel("candidate", 60, 40, 400).Remove("smsp_cycles_active"));
  EXPECT_FALSE(e.decomposition);
  EXPECT_THAT(e.no_decomposition, HasSubstr("candidate has no smsp_cycles_active"));
  EXPECT_THAT(e.causes, IsEmpty());
  EXPECT_NEAR(e.unexplained_us, 50, 1e-6);
}

TEST(Explain, DoesNotJudgeTheClockWhereOneKernelHasNone) {
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 40, 10, 100);
  testing::Taking(candidate, 100);  // as many cycles, had one asked for the clock
  for (Sample& sample : candidate.record.samples) sample.clock_mhz.reset();
  const Explanation e = Explained(base, candidate);
  EXPECT_THAT(MissingFor(e, "clock"), ElementsAre("clock_mhz"));
  EXPECT_THAT(CausesOf(e), IsEmpty());
  EXPECT_NEAR(e.unexplained_us, 50, 1e-6);
  EXPECT_THAT(MissingFor(Explained(base, base), "clock"), IsEmpty());
}

TEST(Explain, JudgesWhatWasMeasuredAs0AndNamesWhatWasNot) {
  const auto with_conflicts = [](KernelBuilder k) {
    return k.Metric("shared_wavefronts", 0).Metric("shared_conflicts_hw", 0);
  };
  const KernelBuilder base = with_conflicts(Kernel("base", 40, 10, 100));
  KernelBuilder candidate = with_conflicts(Kernel("candidate", 60, 40, 400));
  EXPECT_THAT(MissingFor(Explained(base, candidate), "shared_bank_conflicts"), IsEmpty());
  candidate.Missing("shared_conflicts_hw", ReadingStatus::kDenied);
  EXPECT_THAT(MissingFor(Explained(base, candidate), "shared_bank_conflicts"), ElementsAre("shared_conflicts_hw"));
}

TEST(Explain, WarnsWhereExactCountsAreMissingOnOneSide) {
  const auto warning = HasSubstr("Exact counts are missing on one side");
  const KernelBuilder base = Kernel("base", 40, 10, 100);
  KernelBuilder candidate = Kernel("candidate", 60, 40, 400);
  EXPECT_THAT(Explained(base, candidate).caveats, Not(Contains(warning)));
  candidate.Remove("sass_shared_wavefronts");
  EXPECT_THAT(Explained(base, candidate).caveats, Contains(warning));
  EXPECT_THAT(Explained(candidate, base).caveats, Contains(warning));
}

TEST(Explain, WarnsOfShortKernelsOfWarpCyclesInNoStateAndOfOtherGpus) {
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 10, 5, 100);
  EXPECT_THAT(Explained(base, candidate).caveats, ElementsAre(HasSubstr("candidate takes 15.00 us")));
  // Of 50,000 resident warp-cycles and 5,000 more.
  base.Metric("warps_active", 55000);
  EXPECT_THAT(Explained(base, base).caveats,
              ElementsAre(HasSubstr("9.1 % of base's resident"), HasSubstr("9.1 % of base's resident")));
  base.Metric("warps_active", 50000);
  base.record.run.run.device->chip = "GB100";
  EXPECT_THAT(Explained(base, base).caveats, ElementsAre(HasSubstr("throughput of an H100")));
}

TEST(Explain, ShowsEvidenceThatWasMeasuredOnOneSideAndNoneThatIs0OnBoth) {
  KernelBuilder base = Kernel("base", 40, 10, 100), candidate = Kernel("candidate", 60, 40, 400);
  base.Metric("idc_replays", 0);
  candidate.Metric("idc_replays", 0).Metric("idc_misses", 7);
  const Explanation e = Explained(base, candidate);
  ASSERT_EQ(e.causes.front().cause, "constant_cache");
  EXPECT_THAT(e.causes.front().evidence,
              ElementsAre(Field(&CauseEvidence::metric, "idc_misses"), Field(&CauseEvidence::metric, "imc_misses"),
                          Field(&CauseEvidence::metric, "stall_imc_miss")));
  EXPECT_FALSE(e.causes.front().evidence[0].base) << "not measured is not 0";
  EXPECT_EQ(*e.causes.front().evidence[0].candidate, 7);
  EXPECT_EQ(e.causes.front().evidence[1].name, "cupti__imc_misses");
}

}  // namespace
}  // namespace culprit
