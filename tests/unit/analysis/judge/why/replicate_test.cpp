// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/replicate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "analysis/judge/why/explain.h"
#include "tests/support/random_kernel.h"
#include "tests/support/why_kernel.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using testing::KernelBuilder;
using testing::Spending;

Explanation Explained(const KernelBuilder& base, const KernelBuilder& candidate) {
  return Explain(KernelView(base.record), KernelView(candidate.record));
}

std::vector<std::string> CausesOf(const Explanation& e) {
  std::vector<std::string> causes;
  for (const CausePart& part : e.causes) causes.push_back(part.cause);
  return causes;
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

TEST(Replicate, LeavesAPartSmallerThanItsOwnNoiseUnexplained) {
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

// 99 of 100 pairs of recordings differ by less than 1 %. So in a second recording, times of 50 and 100 us differ from
// those of the first, and their difference does so by this standard deviation. 95 % of differences are within twice that,
// nearly.
const double kDeviationUs = 0.01 / 2.576 * std::hypot(50, 100);

double WidthOf(const Scatter& scatter) { return scatter.high - scatter.low; }

TEST(Replicate, GivesEachPartAScatterAroundIt) {
  const Explanation e =
      Explained(Scattered(Kernel("base", 40, 10, 100), 0.02), Scattered(Kernel("candidate", 60, 40, 400), 0.02));
  ASSERT_EQ(e.causes.size(), 2u);
  for (const CausePart& part : e.causes) {
    ASSERT_TRUE(part.scatter) << part.cause;
    EXPECT_LT(part.scatter->low, part.delta_us) << part.cause;
    EXPECT_GT(part.scatter->high, part.delta_us) << part.cause;
    // The 2 % by which each state scatters are at most 1.2 us of 60, on either side of either kernel.
    EXPECT_LT(WidthOf(*part.scatter), 2 * std::hypot(2 * 1.2, 2 * kDeviationUs)) << part.cause;
  }
  for (const StallDifference& stall : e.decomposition->stalls) {
    if (stall.base_us == 0 && stall.candidate_us == 0) continue;
    const Scatter& scatter = e.stall_scatter.at(stall.reason);
    EXPECT_LT(scatter.low, stall.DeltaUs()) << stall.reason;
    EXPECT_GT(scatter.high, stall.DeltaUs()) << stall.reason;
  }
}

// All counters repeat exactly, and so do times. Only the whole execution is slower or faster in another recording: what
// it waits, not what it does.
TEST(Replicate, PutsTheNoiseOfAnExecutionIntoItsWaiting) {
  const Explanation e = Explained(Kernel("base", 40, 10, 100), Kernel("candidate", 60, 40, 400));
  std::map<std::string, double> width;
  for (const CausePart& part : e.causes) width[part.cause] = WidthOf(*part.scatter);
  EXPECT_NEAR(width.at("constant_cache"), 2 * 1.96 * kDeviationUs, 0.5 * kDeviationUs);
  EXPECT_LT(width.at("instruction_count"), 0.5 * width.at("constant_cache"));
  // The timed execution differs by itself, and so does the counted one.
  EXPECT_NEAR(WidthOf(e.factor_scatter.at(Factor::kLaunch)), 2 * 1.96 * std::sqrt(2) * kDeviationUs, kDeviationUs);
  // The clock has a floor of its own, 1.4 %.
  EXPECT_NEAR(WidthOf(e.factor_scatter.at(Factor::kClock)), 2 * 1.96 * 1.4 * kDeviationUs, kDeviationUs);
}

// Counters that were sampled have no repetitions, but errors.
TEST(Replicate, DrawsSampledCountersFromTheirErrors) {
  const auto kernel = [](const std::string& stage, double work_us, double constant_us, double misses) {
    return Spending(stage, {{"selected", work_us}, {"imc_miss", constant_us}, {"wait", 20}})
        .Metric("inst_issued", 25 * work_us)
        .Metric("imc_misses", misses);
  };
  const KernelBuilder base = kernel("base", 40, 10, 100);
  KernelBuilder candidate = kernel("candidate", 60, 12, 400);
  const auto set_error = [&](double share) {
    for (Reading& r : candidate.record.readings)
      if (r.metric.id == "stall_imc_miss" || r.metric.id == "stall_wait") r.error = share * *r.value;
  };
  const auto scatter = [&] {
    const Explanation e = Explained(base, candidate);
    const Scatter& s = e.stall_scatter.at("imc_miss");
    return s.high - s.low;
  };
  const double counted = scatter();
  set_error(0.02);
  const double little = scatter();
  set_error(0.5);
  const double much = scatter();
  EXPECT_GT(little, counted);
  EXPECT_GT(much, 5 * little);
  EXPECT_THAT(CausesOf(Explained(base, candidate)), ElementsAre("instruction_count"));
}

// The same loads, as samples say them.
KernelBuilder Loading(const std::string& stage, double wait_us, double error) {
  KernelBuilder k = Spending(stage, {{"selected", 40}, {"long_scoreboard", wait_us}})
                        .Metric("inst_issued", 1000)
                        .Metric("global_load_inst", 200)
                        .Metric("global_load_requests", 200);
  for (Reading& r : k.record.readings)
    if (r.metric.id == "global_load_requests") r.error = error * *r.value;
  return k;
}

// Drawn anew, counts with errors of 8 % often differ by more than 10 %, beyond which loads are not the same.
TEST(Replicate, DecidesOnceWhetherLoadsAreTheSame) {
  EXPECT_THAT(CausesOf(Explained(Loading("base", 10, 0), Loading("candidate", 60, 0))), ElementsAre("exposed_latency"));
  EXPECT_THAT(CausesOf(Explained(Loading("base", 10, 0.08), Loading("candidate", 60, 0.08))),
              ElementsAre("exposed_latency"));
}

// Samples divide the waiting among its states: where one has more, the others have less.
TEST(Replicate, DrawsStatesWhoseSumIsThatOfAllWaiting) {
  const auto kernel = [](const std::string& stage, double wait_us) {
    KernelBuilder k = Spending(stage, {{"selected", 40}, {"imc_miss", wait_us}, {"no_instruction", wait_us}})
                          .Metric("inst_issued", 1000)
                          .Metric("imc_misses", 10 * wait_us)
                          .Metric("icc_misses", 10 * wait_us);
    for (Reading& r : k.record.readings)
      if (r.metric.id == "stall_imc_miss" || r.metric.id == "stall_no_instruction") r.error = 0.3 * *r.value;
    return k;
  };
  const Explanation e = Explained(kernel("base", 10), kernel("candidate", 40));
  const auto width = [&](const char* state) { return WidthOf(e.stall_scatter.at(state)); };
  EXPECT_GT(width("imc_miss"), 10);
  EXPECT_LT(width("unattributed"), 0.3 * width("imc_miss")) << "what noise in time alone makes";
}

// Only the clock differs from sample to sample: times do not, nor do counters.
TEST(Replicate, DrawsTheClockWithTheSamples) {
  const KernelBuilder base = Kernel("base", 40, 10, 100);
  KernelBuilder candidate = Kernel("candidate", 60, 40, 400);
  for (std::size_t i = 0; i < candidate.record.samples.size(); ++i)
    candidate.record.samples[i].clock_mhz = 2000 + 60 * (static_cast<double>(i % 5) - 2);
  const Scatter clock = Explained(base, candidate).factor_scatter.at(Factor::kClock);
  EXPECT_GT(WidthOf(clock), 1.15 * 2 * 1.96 * 1.4 * kDeviationUs) << "more than the noise alone";
}

// Only the demand differs from repetition to repetition: which cause the waiting belongs to.
TEST(Replicate, DrawsTheDemandWithTheRepetition) {
  const auto kernel = [](const char* stage, double us, double misses) {
    return Spending(stage, {{"selected", 40}, {"imc_miss", us}})
        .Metric("inst_issued", 1000)
        .Metric("imc_misses", misses);
  };
  const KernelBuilder base = kernel("base", 10, 100);
  KernelBuilder candidate = kernel("candidate", 40, 130);
  const Explanation once = Explained(base, candidate);
  ASSERT_EQ(CausesOf(once), std::vector<std::string>{"constant_cache"});
  Repeat(candidate, "imc_misses", 0.05);
  for (const char* id : {"warps_active", "stall_imc_miss", "stall_selected"}) Repeat(candidate, id, 0);
  const Explanation drawn = Explained(base, candidate);
  ASSERT_EQ(CausesOf(drawn), std::vector<std::string>{"constant_cache"});
  const auto width = [](const Explanation& e) { return e.causes[0].scatter->high - e.causes[0].scatter->low; };
  EXPECT_GT(width(drawn), 1.5 * width(once));
}

TEST(Replicate, WidensTheScatterToAPartThatNoRepetitionShows) {
  // Both other states have a cause of their own for what they lose now and then, so that nothing is passed on.
  const auto kernel = [](const char* stage, double work_us, double misses) {
    return Spending(stage, {{"selected", work_us}, {"imc_miss", 10}, {"no_instruction", 10}})
        .Metric("inst_issued", 25 * work_us)
        .Metric("imc_misses", misses)
        .Metric("icc_misses", misses);
  };
  KernelBuilder candidate = kernel("candidate", 40, 10);
  candidate.record.repeats = {{"stall_selected", {40e3, 40e3, 60e3}},
                              {"stall_imc_miss", {1e3, 10e3, 10e3}},
                              {"stall_no_instruction", {10e3, 1e3, 10e3}},
                              {"warps_active", {51e3, 51e3, 80e3}}};
  for (const char* id : {"smsp_cycles_active", "smsp_cycles_elapsed"})
    for (const double warp_cycles : {51, 51, 80})
      candidate.record.repeats[id].push_back(*KernelView(candidate.record).Get(id) * warp_cycles / 60);
  // Work is 40 of 60 us by the medians, but 47 and 45 us of 60 in the repetitions.
  const Explanation e = Explained(kernel("base", 20, 100), candidate);
  EXPECT_NEAR(e.stall_scatter.at("selected").low, 20, 0.5);
  EXPECT_GT(e.stall_scatter.at("selected").high, 60 * 40 / 51.0 - 20);
  ASSERT_EQ(e.causes.front().cause, "instruction_count");
  EXPECT_NEAR(e.causes.front().delta_us, 20, 1e-6);
  EXPECT_NEAR(e.causes.front().scatter->low, 20, 0.5);
  EXPECT_GT(e.causes.front().scatter->high, 25);
}

RC_GTEST_PROP(Replicate, EveryScatterHoldsItsPart, ()) {
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
    RC_LOG() << part.cause << " " << part.scatter->low << " <= " << part.delta_us << " <= " << part.scatter->high;
    RC_ASSERT(part.scatter->low <= part.delta_us + 1e-9);
    RC_ASSERT(part.scatter->high >= part.delta_us - 1e-9);
  }
  RC_ASSERT(std::abs(SumOfParts(e) - e.DeltaUs()) < 1e-6);
}

void ExpectSame(const Scatter& a, const Scatter& b) {
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

TEST(Replicate, GivesTheSameScatterWhereverTheLaunchIsStored) {
  const KernelBuilder base = Scattered(Kernel("base", 40, 10, 100), 0.02);
  const KernelBuilder candidate = Scattered(Kernel("candidate", 60, 40, 400), 0.02);
  KernelBuilder stored_elsewhere = candidate;
  stored_elsewhere.record.id = 4711;
  stored_elsewhere.record.run.id = 17;
  const Explanation here = Explained(base, candidate), there = Explained(base, stored_elsewhere);
  ASSERT_EQ(here.causes.size(), there.causes.size());
  for (std::size_t i = 0; i < here.causes.size(); ++i) ExpectSame(*here.causes[i].scatter, *there.causes[i].scatter);
  for (const auto& [factor, scatter] : here.factor_scatter) ExpectSame(scatter, there.factor_scatter.at(factor));
}

TEST(Replicate, MirrorsTheScatterWhenTheTwoAreExchanged) {
  const KernelBuilder base = Scattered(Kernel("base", 40, 10, 100), 0.02);
  const KernelBuilder candidate = Scattered(Kernel("candidate", 60, 40, 400), 0.02);
  const Explanation forth = Explained(base, candidate), back = Explained(candidate, base);
  ASSERT_EQ(forth.causes.size(), back.causes.size());
  for (std::size_t i = 0; i < forth.causes.size(); ++i) {
    EXPECT_NEAR(forth.causes[i].scatter->low, -back.causes[i].scatter->high, 1e-9);
    EXPECT_NEAR(forth.causes[i].scatter->high, -back.causes[i].scatter->low, 1e-9);
  }
}

TEST(Replicate, DrawsForTheSameStageOfTwoRunsEachOnItsOwn) {
  const KernelBuilder first = Scattered(Kernel("k", 40, 10, 100), 0.02);
  KernelBuilder second = first;
  second.record.run.run.uuid = "99999999-2222-4333-8444-555555555555";
  const Scatter work = Explained(first, second).stall_scatter.at("selected");
  EXPECT_LT(work.low, 0) << "two that draw alike never differ";
  EXPECT_GT(work.high, 0);
}

}  // namespace
}  // namespace culprit
