// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/launch_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/difference/decompose.h"
#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/repeated_facts.h"
#include "analysis/launch/fact_source.h"
#include "analysis/launch/kernel_view.h"
#include "db/sampled_counters.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::KernelBuilder;
using ::testing::Not;
using testing::Quiet;

KernelBuilder& Sampled(KernelBuilder& k, std::string_view id, double value, double error = 0) {
  k.record.readings.push_back({SampledMetric(id), value, ReadingStatus::kOk, error});
  return k;
}

double At(const KernelBuilder& k, std::string_view id) { return *KernelView(k.record).Get(id); }

// Three launches of 256 were replayed; their instructions are `times` those of the mean launch.
KernelBuilder Unlike(double times) {
  KernelBuilder k("k");
  k.Time(10).Metric("inst_executed", 1000 * times).Metric("warps_active", 8000 * times, "warp-cycle");
  k.Metric("stall_barrier", 2000 * times, "warp-cycle").Metric("pipe_alu_inst", 300 * times);
  k.Metric("shared_wavefronts", 400 * times, "wavefront").Metric("shared_load_inst", 100 * times);
  k.Metric("threads_per_inst", 32, "thread");
  Sampled(k, "inst_executed", 1000, 5);
  Sampled(k, "warps_active", 8000, 40);
  Sampled(k, "shared_wavefronts", 400, 2);
  return k;
}

TEST(LaunchWeights, ScaleReplayedCountersToTheMeanOfAllLaunches) {
  const KernelBuilder k = Unlike(3);
  EXPECT_TRUE(LaunchWeights(k.record).AreScaled());
  EXPECT_DOUBLE_EQ(At(k, "inst_executed"), 1000);
  EXPECT_DOUBLE_EQ(At(k, "stall_barrier"), 2000) << "by warp-cycles";
  EXPECT_DOUBLE_EQ(At(k, "shared_load_inst"), 100) << "by wavefronts";
  EXPECT_DOUBLE_EQ(At(k, "pipe_alu_inst"), 300) << "by instructions";
  EXPECT_DOUBLE_EQ(At(k, "threads_per_inst"), 32) << "a ratio";
  EXPECT_EQ(SourceOf(KernelView(k.record), "stall_barrier"), "scaled");
  EXPECT_EQ(SourceOf(KernelView(k.record), "threads_per_inst"), "counted");
}

TEST(LaunchWeights, TakeTheNearestTotal) {
  KernelBuilder k = Unlike(2);
  k.Metric("stall_barrier", 3000, "warp-cycle");
  for (Reading& r : k.record.readings)
    if (r.metric.id == "warps_active" && r.metric.source == kSampledSource) r.value = 4000;  // a quarter of 16,000
  EXPECT_DOUBLE_EQ(At(k, "stall_barrier"), 750);
  EXPECT_DOUBLE_EQ(At(k, "pipe_alu_inst"), 300);
}

TEST(LaunchWeights, LeaveCountersAloneWhereLaunchesAreAlike) {
  EXPECT_FALSE(LaunchWeights(Unlike(1.08).record).AreScaled()) << "replay and samples may differ by 8 %";
  EXPECT_DOUBLE_EQ(At(Unlike(1.08), "inst_executed"), 1080);
  KernelBuilder unsure = Unlike(1.3);
  for (Reading& r : unsure.record.readings)
    if (r.error) r.error = *r.value * 0.2;
  EXPECT_FALSE(LaunchWeights(unsure.record).AreScaled()) << "within three errors";
  KernelBuilder of_one_kind = Unlike(3);
  std::erase_if(of_one_kind.record.readings, [](const Reading& r) { return r.metric.source == kSampledSource; });
  EXPECT_FALSE(LaunchWeights(of_one_kind.record).AreScaled());
}

TEST(LaunchWeights, AreNotMadeByCachesAlone) {
  KernelBuilder k = Unlike(1);
  k.Metric("dram_read_bytes", 1e6, "byte").Metric("l2_sectors", 1e5, "sector");
  Sampled(k, "dram_read_bytes", 1e4, 10);
  Sampled(k, "l2_sectors", 2e5, 10);
  EXPECT_FALSE(LaunchWeights(k.record).AreScaled());
  EXPECT_DOUBLE_EQ(At(k, "dram_read_bytes"), 1e6);
}

TEST(LaunchWeights, DoNotTakeSmsForTheirSubPartitions) {
  KernelBuilder k = Unlike(1);
  k.Metric("smsp_cycles_active", 500, "cycle");
  Sampled(k, "smsp_cycles_active", 2000, 1);  // one warp on each SM
  EXPECT_FALSE(LaunchWeights(k.record).AreScaled());
  EXPECT_DOUBLE_EQ(At(k, "smsp_cycles_active"), 500);
}

TEST(LaunchWeights, ScaleExactCountsByTheInstructionsOfTheirOwnLaunch) {
  KernelBuilder k = Unlike(1);  // the replayed launch is like the mean, the one with exact counts is not
  k.Metric("sass_inst", 4000).Metric("sass_shared_wavefronts", 800);
  k.record.barriers = 40;
  k.record.accesses = {{"shared", {{4, 80}}}};
  EXPECT_DOUBLE_EQ(At(k, "sass_shared_wavefronts"), 200);
  EXPECT_DOUBLE_EQ(At(k, "barrier_inst"), 10);
  EXPECT_DOUBLE_EQ(At(k, "inst_executed"), 1000);
}

TEST(LaunchWeights, ScaleEachRepetitionByItself) {
  KernelBuilder k = Unlike(3);
  k.record.repeats = {{"inst_executed", {3000, 1500, 500}},
                      {"warps_active", {24000, 12000, 4000}},
                      {"stall_barrier", {6000, 3000, 1000}}};
  for (std::size_t i = 0; i < 3; ++i) {
    const KernelRecord one = OneRepetition(k.record, i);
    EXPECT_DOUBLE_EQ(*KernelView(one).Get("stall_barrier"), 2000) << i;
  }
}

TEST(LaunchWeights, AreSaidInTheReport) {
  KernelBuilder k = Unlike(3);
  k.record.samples[0].time_us = 0.2, k.record.samples[2].time_us = 38;
  k.record.program.emplace();
  k.record.program->calls = 256, k.record.program->counted = 3;
  const Explanation e = Explain(KernelView(k.record), KernelView(k.record));
  EXPECT_THAT(e.caveats,
              Contains(HasSubstr("Launches of k (base) differ, 0.200 us to 38.00 us and 16.07 us on average: "
                                 "counters of 3 of its 256 launches are scaled to the mean of all")));
  k.record.program->counted = 256;
  EXPECT_THAT(Explain(KernelView(k.record), KernelView(k.record)).caveats, Not(Contains(HasSubstr("scaled"))));
}

// Whatever the replayed launches did: where all counters grow alike, they do not change what is said of the mean launch.
RC_GTEST_PROP(LaunchWeights, MakeCountersIndependentOfTheReplayedLaunch, ()) {
  const double times = *rc::gen::inRange(15, 4000) / 10.0, other = *rc::gen::inRange(15, 4000) / 10.0;
  const auto quiet = [](double scale) {
    KernelBuilder k = Quiet();
    for (const char* id : {"inst_executed", "warps_active", "smsp_cycles_elapsed"}) {
      const double value = KernelView(k.record).Get(id).value_or(1000);
      k.Metric(id, value);
      Sampled(k, id, value, value / 1000);
    }
    for (Reading& r : k.record.readings)
      if (r.metric.source == "range" && r.value) *r.value *= scale;
    return k;
  };
  const KernelBuilder one = quiet(times), two = quiet(other);
  const auto a = CountersOf(KernelView(one.record)).counters, b = CountersOf(KernelView(two.record)).counters;
  RC_ASSERT(a && b);
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::max(std::abs(x), std::abs(y)); };
  RC_ASSERT(near(a->instructions, b->instructions));
  RC_ASSERT(near(a->active, b->active));
  RC_ASSERT(near(a->elapsed, b->elapsed));
  const double whole = a->TotalWarpCycles();  // what is in no state is a difference of these
  for (const auto& [state, cycles] : a->warp_cycles) RC_ASSERT(near(whole + cycles, whole + b->CyclesIn(state)));
}

}  // namespace
}  // namespace culprit
