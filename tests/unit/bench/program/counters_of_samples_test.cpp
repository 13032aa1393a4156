// SPDX-License-Identifier: Apache-2.0
#include "bench/program/counters_of_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/program/sampled_readings.h"
#include "tests/support/assembled.h"
#include "tests/support/sampled_totals.h"

namespace culprit {
namespace {

using ::testing::IsEmpty;
using namespace culprit::testing;

// 1,000 warps load a value, go 50 times through a loop that reads shared memory, and store a value.
constexpr double kWarps = 1000, kTrips = 50, kOnce = 5, kLoop = 5;
constexpr double kExecuted = kWarps * (kOnce + kTrips * kLoop), kActive = 10 * kExecuted;

// A warp's first instruction, and the first after a jump, are never seen issuing. `seen` gives the samples of an
// instruction that should have so many.
template <class Seen>
SamplingRecord Loop(const Seen& seen) {
  const auto issues = [&](double expected) { return static_cast<std::int64_t>(seen(expected)); };
  const double once = 20, loop = once * kTrips;
  return Sampled({S2r(0, kThreadIdX).Samples("branch_resolving", issues(once)),
                  Mov(6, 64).Samples("selected", issues(once)),
                  Ldg(4, 2, 0).Samples("selected", issues(once)).Samples("wait", issues(3 * once)),
                  Lds(5, 6, 0).Samples("branch_resolving", issues(2 * loop)),
                  Fadd(4, 4, 5).Samples("selected", issues(loop)).Samples("short_scoreboard", issues(20 * loop)),
                  Iadd(6, 6, 4).Samples("selected", issues(loop)).Samples("not_selected", issues(loop)),
                  Fadd(4, 4, 4).Samples("selected", issues(loop)).Samples("wait", issues(4 * loop)),
                  BranchTo(7, 3, 0).Samples("selected", issues(loop)), Stg(2, 0, 4).Samples("selected", issues(once)),
                  Exit().Samples("selected", issues(once))});
}

SamplingRecord Loop() {
  return Loop([](double expected) { return expected; });
}

std::optional<SampledCounter> Find(const std::vector<SampledCounter>& counters, const std::string& id) {
  const auto found = std::ranges::find(counters, id, &SampledCounter::id);
  return found == counters.end() ? std::nullopt : std::optional(*found);
}

std::vector<SampledCounter> Counters(const SamplingRecord& sampling, std::optional<double> warps = kWarps) {
  return CountersOfSamples(sampling, Totals({{"warps_active", kActive}, {"inst_executed", kExecuted}}), warps);
}

TEST(CountersOfSamples, CountALoopBySamplesAndTheCodeAroundItByWarps) {
  const std::vector<SampledCounter> counters = Counters(Loop());
  const auto loads = Find(counters, "shared_load_inst"), global = Find(counters, "global_load_inst");
  ASSERT_TRUE(loads && global);
  EXPECT_NEAR(loads->value, kWarps * kTrips, 1e-6) << "although none is seen issuing";
  EXPECT_LT(loads->error, 0.01 * loads->value);
  EXPECT_NEAR(global->value, kWarps, 1e-6);
  EXPECT_NEAR(Find(counters, "global_store_inst")->value, kWarps, 1e-6);
}

TEST(CountersOfSamples, CountWithoutTheNumberOfWarpsLessExactly) {
  const auto known = Find(Counters(Loop()), "shared_load_inst");
  const auto not_known = Find(Counters(Loop(), std::nullopt), "shared_load_inst");
  ASSERT_TRUE(known && not_known);
  EXPECT_NEAR(not_known->value, known->value, 0.02 * known->value);
  EXPECT_GT(not_known->error, known->error);
}

TEST(CountersOfSamples, AreReadingsOfWhatHasNoValueYet) {
  std::vector<Reading> totals = Totals({{"warps_active", kActive}, {"inst_executed", kExecuted}});
  const auto loads = [&] {
    const std::vector<Reading> readings = ReadingsOfSamples(Loop(), totals, kWarps, "GH100");
    const Reading* const found = FindReading(readings, "shared_load_inst");
    return found == nullptr ? std::nullopt : std::optional(*found);
  };
  ASSERT_TRUE(loads());
  EXPECT_EQ(loads()->status, ReadingStatus::kOk);
  EXPECT_NEAR(loads()->value.value(), kWarps * kTrips, 1e-6);
  EXPECT_GT(loads()->error.value(), 0);
  totals.push_back({SampledMetric("shared_load_inst"), std::nullopt, ReadingStatus::kFailed});
  EXPECT_TRUE(loads()) << "a list that was refused";
  totals.back() = {SampledMetric("shared_load_inst"), 5.0, ReadingStatus::kOk, 0.1};
  EXPECT_FALSE(loads()) << "it was sampled itself";
}

TEST(CountersOfSamples, GiveAnExactZeroOfWhatTheCodeLacks) {
  const auto local = Find(Counters(Loop()), "local_load_inst");
  ASSERT_TRUE(local);
  EXPECT_EQ(local->value, 0);
  EXPECT_EQ(local->error, 0);
}

TEST(CountersOfSamples, GiveNoZeroWhereTheCodeJumpsElsewhere) {
  SamplingRecord sampling = Loop();
  sampling.code.front().instructions.pop_back();
  const Encoded away = BranchTo(10, 4000, 7);
  MachineInstruction& last = sampling.code.front().instructions.emplace_back();
  last.pc_offset = 160;
  last.low = away.low;
  last.high = away.high;
  const std::vector<SampledCounter> counters = Counters(sampling);
  EXPECT_FALSE(Find(counters, "local_load_inst"));
  EXPECT_TRUE(Find(counters, "shared_load_inst"));
}

TEST(CountersOfSamples, GiveOnlyStatesWithoutCode) {
  SamplingRecord sampling = Loop();
  sampling.code.clear();
  const std::vector<SampledCounter> counters = Counters(sampling);
  EXPECT_TRUE(Find(counters, "stall_short_scoreboard"));
  EXPECT_FALSE(Find(counters, "shared_load_inst"));
  EXPECT_FALSE(Find(counters, "local_load_inst"));
}

TEST(CountersOfSamples, GiveNothingForFewSamples) {
  EXPECT_THAT(Counters(Loop([](double expected) { return expected / 100; })), IsEmpty());
  EXPECT_THAT(Counters({}), IsEmpty());
  EXPECT_THAT(CountersOfSamples(Loop(), Totals({{"warps_active", 0}, {"inst_executed", kExecuted}})), IsEmpty());
  EXPECT_THAT(CountersOfSamples(Loop(), Totals({{"warps_active", kActive}})), IsEmpty());
}

TEST(CountersOfSamples, TrustDrainingLessBecauseTheySeeItTooOften) {
  SamplingRecord sampling = Loop();
  sampling.rows.push_back({"kernel", 144, "drain", 5000, 0});
  const auto drain = Find(Counters(sampling), "stall_drain"), wait = Find(Counters(sampling), "stall_wait");
  ASSERT_TRUE(drain && wait);
  EXPECT_GT(drain->error / drain->value, 2 * wait->error / wait->value);
}

TEST(CountersOfSamples, SayHowUncertainAKindIs) {
  // A generic load may be of any memory.
  std::vector<Encoded> code = {S2r(0, kThreadIdX), Mov(2, 64)};
  for (int i = 0; i < 5; ++i) code.push_back(Encoded(0x980).To(4).A(2).Bits(73, 3, 4));
  code.push_back(Exit());
  for (Encoded& i : code) i.Samples("selected", 200);
  const std::vector<SampledCounter> counters =
      CountersOfSamples(Sampled(code), Totals({{"warps_active", 1e6}, {"inst_executed", 8000}}), 1000);
  for (const char* kind : {"shared_load_inst", "global_load_inst"}) {
    const auto loads = Find(counters, kind);
    ASSERT_TRUE(loads) << kind;
    EXPECT_GT(loads->error, 0.5 * loads->value) << kind;
  }
  EXPECT_EQ(Find(counters, "shared_store_inst")->value, 0);
}

// A rule needs to know that there are at most a few, more than how many.
TEST(CountersOfSamples, GiveAFewWithTheirLargeError) {
  // One store, which no sample saw, among instructions that samples saw often.
  std::vector<Encoded> code = {S2r(0, kThreadIdX), Mov(6, 64)};
  for (int i = 0; i < 40; ++i) code.push_back(Fadd(4, 4, 4));
  for (Encoded& i : code) i.Samples("selected", 30).Samples("wait", 100);
  const int next = static_cast<int>(code.size());
  code.push_back(BranchTo(next, next + 2, 0));
  code.push_back(Sts(6, 0, 4));
  code.push_back(Exit().Samples("selected", 30));
  const auto counters = CountersOfSamples(Sampled(code), Totals({{"warps_active", 1e6}, {"inst_executed", 43'000}}));
  const auto stores = Find(counters, "shared_store_inst");
  ASSERT_TRUE(stores);
  EXPECT_GT(stores->error, 0.5 * stores->value);
  EXPECT_LT(stores->error, 0.1 * 43'000);
}

TEST(CountersOfSamples, TrustSamplesLessIfWarpsWereUneven) {
  const SamplingRecord sampling = Loop();
  EXPECT_NEAR(Unevenness(sampling, 2 * kActive, kExecuted) - Unevenness(sampling, kActive, kExecuted), std::log(2),
              1e-9);
  const auto uneven =
      CountersOfSamples(sampling, Totals({{"warps_active", 3 * kActive}, {"inst_executed", kExecuted}}), kWarps);
  EXPECT_GT(Find(uneven, "stall_wait")->error / Find(uneven, "stall_wait")->value,
            Find(Counters(sampling), "stall_wait")->error / Find(Counters(sampling), "stall_wait")->value);
}

TEST(CountersOfSamples, PassOnTheErrorsOfTotals) {
  const auto counters = CountersOfSamples(
      Loop(), Totals({{"warps_active", kActive, 0.05 * kActive}, {"inst_executed", kExecuted, 0.1 * kExecuted}}),
      kWarps);
  const auto loads = Find(counters, "shared_load_inst");
  ASSERT_TRUE(loads);
  EXPECT_NEAR(loads->error / loads->value, 0.1, 0.01);
  EXPECT_GE(Find(counters, "stall_wait")->error, 0.05 * Find(counters, "stall_wait")->value);
}

TEST(CountersOfSamples, HoldTheTruthInNineOfTenIntervals) {
  std::mt19937 random(7);
  int all = 0, held = 0;
  for (int i = 0; i < 200; ++i) {
    const SamplingRecord sampling = Loop([&](double expected) {
      std::int64_t n = 0;
      constexpr int kParts = 1000;
      for (int part = 0; part < kParts; ++part) n += random() < expected / 20 / kParts * 0x1p32;
      return n;
    });
    const auto loads = Find(Counters(sampling, std::nullopt), "shared_load_inst");
    if (!loads) continue;
    ++all;
    held += std::abs(loads->value - kWarps * kTrips) <= 1.645 * loads->error;
  }
  ASSERT_GT(all, 100);
  EXPECT_GE(held, 0.9 * all);
}

// --- properties ---

SamplingRecord AnyLoop() {
  SamplingRecord sampling = Loop([](double) { return *rc::gen::inRange(0, 2000); });
  std::erase_if(sampling.rows, [](const PcSample& row) { return row.samples == 0; });
  return sampling;
}

RC_GTEST_PROP(CountersOfSamples, AddUpToTheWarpCycles, ()) {
  const std::vector<SampledCounter> counters = Counters(AnyLoop());
  RC_PRE(!counters.empty());
  double sum = 0;
  for (const SampledCounter& counter : counters)
    if (counter.id.starts_with("stall_")) sum += counter.value;
  RC_ASSERT(std::abs(sum - kActive) < 1e-6 * kActive);
}

RC_GTEST_PROP(CountersOfSamples, AreOfTheSizeOfTheTotals, ()) {
  const SamplingRecord sampling = AnyLoop();
  const double times = *rc::gen::inRange(2, 1000);
  const std::vector<SampledCounter> one = Counters(sampling);
  const std::vector<SampledCounter> many = CountersOfSamples(
      sampling, Totals({{"warps_active", times * kActive}, {"inst_executed", times * kExecuted}}), times * kWarps);
  RC_ASSERT(one.size() == many.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    RC_ASSERT(one[i].id == many[i].id);
    const double growth = one[i].id.ends_with("_bytes") ? 1 : times;  // bytes of an access
    RC_ASSERT(std::abs(growth * one[i].value - many[i].value) <= 1e-9 * times * kActive);
    RC_ASSERT(std::abs(growth * one[i].error - many[i].error) <= 1e-9 * times * kActive);
  }
}

RC_GTEST_PROP(CountersOfSamples, DoNotDependOnTheOrderOfRows, ()) {
  SamplingRecord sampling = AnyLoop();
  const std::vector<SampledCounter> before = Counters(sampling);
  std::mt19937 random(*rc::gen::inRange(0, 1000));
  std::ranges::shuffle(sampling.rows, random);
  const std::vector<SampledCounter> after = Counters(sampling);
  RC_ASSERT(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    RC_ASSERT(before[i].id == after[i].id);
    RC_ASSERT(before[i].value == after[i].value);
    RC_ASSERT(before[i].error == after[i].error);
  }
}

RC_GTEST_PROP(CountersOfSamples, HaveNoNegativeValuesOrErrors, ()) {
  for (const SampledCounter& counter : Counters(AnyLoop(), *rc::gen::inRange(0, 100'000))) {
    RC_ASSERT(counter.value >= 0);
    RC_ASSERT(counter.error >= 0);
  }
}

}  // namespace
}  // namespace culprit
