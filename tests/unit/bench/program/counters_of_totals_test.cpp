// SPDX-License-Identifier: Apache-2.0
#include "bench/program/counters_of_totals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/assembled.h"
#include "tests/support/sampled_totals.h"

namespace culprit {
namespace {

using namespace culprit::testing;

constexpr double kWarps = 1000;

// Each of 1,000 warps runs `code` once, so executions are exact.
ExecutedCode Once(std::vector<Encoded> code) {
  code.push_back(Exit());
  for (Encoded& i : code) i.Samples("selected", 100);
  const double executed = kWarps * static_cast<double>(code.size());
  return *ExecutedCodeOf(Sampled(code), executed, kWarps, 0);
}

std::optional<SampledCounter> Counter(const ExecutedCode& code, const std::vector<Total>& totals, std::string_view id) {
  std::vector<SampledCounter> counters;
  AddCountersOfTotals(code, Totals(totals), counters);
  const auto found = std::ranges::find(counters, id, &SampledCounter::id);
  return found == counters.end() ? std::nullopt : std::optional(*found);
}

double Value(const ExecutedCode& code, const std::vector<Total>& totals, std::string_view id) {
  const auto counter = Counter(code, totals, id);
  return counter ? counter->value : -1;
}

double Error(const ExecutedCode& code, const std::vector<Total>& totals, std::string_view id) {
  const auto counter = Counter(code, totals, id);
  return counter ? counter->error : -1;
}

TEST(ActiveLanes, AreThoseThatNoPredicateSwitchesOff) {
  const ExecutedCode code = Once({Mov(0, 1), Mov(1, 1), Mov(2, 1)});
  const auto lanes = ActiveLanes(code, Totals({{"sass_thread_inst_on", kWarps * 4 * 20}}));
  ASSERT_TRUE(lanes);
  EXPECT_DOUBLE_EQ(lanes->value, 20);
  EXPECT_LT(lanes->error, 0.2);
}

TEST(ActiveLanes, OfGuardedInstructionsMayHaveBeenSwitchedOff) {
  const ExecutedCode code = Once({Mov(0, 1), Mov(1, 1).If(0), Mov(2, 1)});
  const auto lanes = ActiveLanes(code, Totals({{"sass_thread_inst_on", kWarps * 4 * 21}}));
  ASSERT_TRUE(lanes);
  EXPECT_DOUBLE_EQ(lanes->value, 24) << "half of a quarter";
  EXPECT_GT(lanes->error, 1);
  EXPECT_DOUBLE_EQ(ActiveLanes(code, Totals({{"sass_thread_inst_on", kWarps * 4 * 31}}))->value, 32);
}

TEST(ActiveLanes, AreNotKnownWithoutTheTotal) { EXPECT_FALSE(ActiveLanes(Once({Mov(0, 1)}), {})); }

TEST(CountersOfTotals, GiveL1sLookUpsToGlobalMemoryButForLocalMemory) {
  const ExecutedCode code = Once({Ldg(4, 2, 0), Ldl(6, 2, 0)});
  const std::vector<Total> totals = {
      {"l1_sectors_hit", 1000}, {"l1_sectors_miss", 9000}, {"local_load_sectors", 4000}, {"local_store_sectors", 0}};
  EXPECT_DOUBLE_EQ(Value(code, totals, "global_load_sectors"), 6000);
  EXPECT_DOUBLE_EQ(Value(code, totals, "global_store_sectors"), 0);
  EXPECT_DOUBLE_EQ(Error(code, totals, "global_store_sectors"), 0) << "the code has none";
}

TEST(CountersOfTotals, TakeSectorsOfLocalMemoryFromTheCodeIfNobodyCountedThem) {
  const std::vector<Total> totals = {{"l1_sectors_hit", 1000}, {"l1_sectors_miss", 9000}};
  const ExecutedCode code = Once({Ldg(4, 2, 0), Ldl(6, 2, 0)});
  EXPECT_DOUBLE_EQ(Value(code, totals, "local_load_sectors"), 5000) << "four a warp, and half of what neither needs";
  EXPECT_NEAR(Error(code, totals, "local_load_sectors"), 2000 / std::sqrt(12.0), 1);
  EXPECT_DOUBLE_EQ(Value(code, totals, "local_store_sectors"), 0);
  EXPECT_DOUBLE_EQ(Value(code, totals, "global_load_sectors"), 5000);
}

TEST(CountersOfTotals, DivideGlobalSectorsByWhatLoadsAndStoresNeed) {
  const ExecutedCode code = Once({Ldg(4, 2, 0, 16), Stg(2, 0, 4, 4)});
  const std::vector<Total> totals = {{"l1_sectors_hit", 0}, {"l1_sectors_miss", 20 * kWarps}};
  EXPECT_DOUBLE_EQ(Value(code, totals, "global_load_sectors"), 16 * kWarps);
  EXPECT_DOUBLE_EQ(Value(code, totals, "global_store_sectors"), 4 * kWarps);
  const std::vector<Total> scattered = {{"l1_sectors_hit", 0}, {"l1_sectors_miss", 60 * kWarps}};
  EXPECT_GT(Error(code, scattered, "global_store_sectors"), 0.2 * Value(code, scattered, "global_store_sectors"))
      << "nobody knows which of both scatters";
}

TEST(CountersOfTotals, CountSectorsBeyondThoseThatTheBytesNeed) {
  const ExecutedCode code = Once({Ldg(4, 2, 0, 4)});
  const auto excess = [&](double sectors) {
    const std::vector<Total> totals = {{"l1_sectors_hit", 0}, {"l1_sectors_miss", sectors * kWarps}};
    return (Value(code, totals, "sass_global_sectors") - Value(code, totals, "sass_global_sectors_ideal")) / kWarps;
  };
  EXPECT_DOUBLE_EQ(excess(4), 0);
  EXPECT_DOUBLE_EQ(excess(32), 28);
  EXPECT_DOUBLE_EQ(excess(1), 0) << "all lanes read one word";
}

TEST(CountersOfTotals, TakeBankConflictsFromTheHardwaresCount) {
  const ExecutedCode code = Once({Lds(5, 6, 0)});
  const std::vector<Total> totals = {{"shared_wavefronts", 8000}, {"shared_conflicts_hw", 6000}};
  EXPECT_DOUBLE_EQ(Value(code, totals, "sass_shared_wavefronts"), 8000);
  EXPECT_DOUBLE_EQ(Value(code, totals, "sass_shared_wavefronts_ideal"), 2000);
  EXPECT_GT(Error(code, totals, "sass_shared_wavefronts_ideal"), 0);
  EXPECT_DOUBLE_EQ(Value(code, totals, "shared_atom_wavefronts"), 0);
}

TEST(CountersOfTotals, GiveNoWavefrontsToCodeWithoutSharedMemory) {
  const ExecutedCode code = Once({Ldg(4, 2, 0)});
  EXPECT_DOUBLE_EQ(Value(code, {{"shared_wavefronts", 8000}, {"shared_conflicts_hw", 10}}, "sass_shared_wavefronts"),
                   0);
}

TEST(CountersOfTotals, TakeWidthsAndBarriersFromTheCode) {
  const ExecutedCode code = Once({Lds(5, 6, 0, 16), Sts(6, 0, 5, 4), Bar(), Bar()});
  EXPECT_DOUBLE_EQ(Value(code, {}, "shared_access_bytes"), 10);
  EXPECT_DOUBLE_EQ(Value(code, {}, "global_access_bytes"), 0) << "the code has no such access";
  EXPECT_DOUBLE_EQ(Value(code, {}, "barrier_inst"), 2 * kWarps);
}

TEST(CountersOfTotals, TakeTheFmaPipeFromItsHalves) {
  std::vector<SampledCounter> counters = {{"pipe_fma_inst", 5, 5}};
  AddCountersOfTotals(Once({Fadd(4, 4, 5)}), Totals({{"pipe_fma_halves_inst", 1000, 10}}), counters);
  const auto found = std::ranges::find(counters, "pipe_fma_inst", &SampledCounter::id);
  ASSERT_NE(found, counters.end());
  EXPECT_DOUBLE_EQ(found->value, 1000);
  EXPECT_DOUBLE_EQ(found->error, 10);
  EXPECT_EQ(std::ranges::count(counters, "pipe_fma_inst", &SampledCounter::id), 1);
}

TEST(CountersOfTotals, GiveNothingThatTheirTotalsDoNotTell) {
  const ExecutedCode code = Once({Ldg(4, 2, 0), Lds(5, 6, 0)});
  for (const char* id : {"global_load_sectors", "sass_global_sectors", "sass_shared_wavefronts", "idc_replays"})
    EXPECT_FALSE(Counter(code, {}, id)) << id;
}

// Straight code needs no samples, also if its total is only about right.
TEST(ExecutedCode, OfStraightCodeIsKnownWithoutSamples) {
  SamplingRecord sampling = Sampled({Mov(0, 1).Samples("wait", 9), Ldg(4, 2, 0), Exit()});
  EXPECT_FALSE(ExecutedCodeOf(sampling, 3030, kWarps, 0)) << "the total is said to be exact";
  const auto code = ExecutedCodeOf(sampling, 3030, kWarps, 0, 20);
  ASSERT_TRUE(code);
  EXPECT_DOUBLE_EQ(code->inst_executed, 3 * kWarps);
  EXPECT_FALSE(ExecutedCodeOf(sampling, 3030, std::nullopt, 0, 20));
}

}  // namespace
}  // namespace culprit
