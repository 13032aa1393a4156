// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/kernel_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "analysis/launch/derived_facts.h"
#include "db/metric_catalogue.h"
#include "tests/support/invented_study.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

TEST(KernelView, TellsNotAskedFromDenied) {
  const KernelBuilder k = KernelBuilder("k").Missing("l2_sectors", ReadingStatus::kDenied);
  const KernelView view(k.record);
  EXPECT_EQ(view.Get("l2_sectors").absence(), Absence::kDenied);
  EXPECT_EQ(view.Get("warps_active").absence(), Absence::kNotAsked);
}

TEST(KernelView, DerivesWavesFromTheGridAndWhatFits) {
  const KernelBuilder k = testing::InventedV17();
  EXPECT_NEAR(*KernelView(k.record).Get("waves"), 256.0 / (132 * 2), 1e-12);
}

TEST(KernelView, WhatTheLoadedKernelSaysOfItselfIsOneMoreSource) {
  const KernelBuilder k = KernelBuilder("k").Metric("launch_registers", 40).Metric("launch_local_bytes", 120);
  const KernelView view(k.record);
  EXPECT_DOUBLE_EQ(*view.Get("registers"), 40);
  EXPECT_DOUBLE_EQ(*view.Get("stack_frame_bytes"), 120);
}

TEST(KernelView, LocalBytesDoNotStandForAStackFrameThatIsKnown) {
  const KernelBuilder k = KernelBuilder("k").Attribute("stack_frame_bytes", 0).Metric("launch_local_bytes", 120);
  EXPECT_DOUBLE_EQ(*KernelView(k.record).Get("stack_frame_bytes"), 0);
}

// As a kernel of a recorded program: the launch and facts of the loaded kernel, no build.
KernelBuilder Loaded() {
  KernelBuilder k("k");
  k.Metric("launch_registers", 56).Metric("launch_static_shared_bytes", 8192);
  k.record.launch.arch = "sm_90";
  k.record.launch.grid_x = 264, k.record.launch.grid_y = k.record.launch.grid_z = 1;
  k.record.launch.block_x = 32, k.record.launch.block_y = 8, k.record.launch.block_z = 1;
  k.record.launch.dynamic_shared_bytes = 65536;
  return k;
}

TEST(KernelView, WhatFitsAnSmFollowsFromTheLoadedKernelAndItsLaunch) {
  const KernelBuilder k = Loaded();
  const KernelView view(k.record);
  EXPECT_DOUBLE_EQ(*view.Get("blocks_per_sm_by_shared"), 3) << "228 KB for blocks of 73 KB";
  EXPECT_DOUBLE_EQ(*view.Get("blocks_per_sm_by_registers"), 4);
  EXPECT_DOUBLE_EQ(*view.Get("theoretical_occupancy"), 24.0 / 64);
  EXPECT_DOUBLE_EQ(*view.Get("waves"), 264.0 / (132 * 3));
}

TEST(KernelView, WhatFitsAnSmIsNotGuessed) {
  KernelBuilder of_two = Loaded();
  of_two.Metric("launch_kernels", 2);
  EXPECT_FALSE(KernelView(of_two.record).Get("theoretical_occupancy")) << "facts of which kernel?";
  KernelBuilder unknown = Loaded();
  unknown.record.launch.arch = "sm_999";
  EXPECT_FALSE(KernelView(unknown.record).Get("theoretical_occupancy"));
  KernelBuilder bare("k");
  bare.record.launch = Loaded().record.launch;
  EXPECT_EQ(KernelView(bare.record).Get("theoretical_occupancy").absence(), Absence::kNotAsked);
}

TEST(KernelView, WhatARecordingSaysOfOccupancyStands) {
  const KernelBuilder k = Loaded().Attribute("theoretical_occupancy", 0.5);
  const KernelView view(k.record);
  EXPECT_DOUBLE_EQ(*view.Get("theoretical_occupancy"), 0.5);
  EXPECT_FALSE(view.Get("blocks_per_sm_by_shared")) << "nothing of ours beside it";
}

TEST(KernelView, NeedsTheFullProfileOnlyForWhatTheCoreProfileLeavesOut) {
  KernelBuilder k = KernelBuilder("k").Missing("sass_inst", ReadingStatus::kDenied);
  k.record.run.run.profile = "core";
  const KernelView view(k.record);
  EXPECT_TRUE(view.NeedsFullProfile("sass_shared_wavefronts"));
  EXPECT_TRUE(view.NeedsFullProfile("l2_throughput_pct"));
  EXPECT_FALSE(view.NeedsFullProfile("stall_barrier"));
  EXPECT_FALSE(view.NeedsFullProfile("sass_inst"));
  k.record.run.run.profile = "full";
  EXPECT_FALSE(view.NeedsFullProfile("sass_shared_wavefronts"));
}

TEST(KernelView, ADerivedFactHasItsUnit) {
  const KernelBuilder k("k");
  const KernelView view(k.record);
  for (const DerivedFact& fact : DerivedFacts()) {
    EXPECT_EQ(view.UnitOf(fact.id), fact.unit);
    EXPECT_EQ(std::ranges::count(DerivedFacts(), fact.id, &DerivedFact::id), 1) << fact.id;
    if (const CatalogueMetric* metric = FindMetric(fact.id)) {
      EXPECT_EQ(metric->unit, fact.unit) << "stands for the metric where that was not read";
    }
  }
}

TEST(KernelView, DerivesAPercentageThatWasNotRead) {
  KernelBuilder k("k");
  k.Metric("warps_active", 1600, "warp").Metric("smsp_cycles_active", 400, "cycle");
  k.record.run.run.device.emplace().max_threads_per_sm = 2048;
  EXPECT_DOUBLE_EQ(*KernelView(k.record).Get("achieved_occupancy_pct"), 25);
  k.Metric("achieved_occupancy_pct", 26, "%");
  EXPECT_DOUBLE_EQ(*KernelView(k.record).Get("achieved_occupancy_pct"), 26);
  k.Missing("achieved_occupancy_pct", ReadingStatus::kDenied);
  EXPECT_EQ(KernelView(k.record).Get("achieved_occupancy_pct").absence(), Absence::kDenied);
  k.Remove("achieved_occupancy_pct").Metric("warps_active", 6800, "warp");
  EXPECT_DOUBLE_EQ(*KernelView(k.record).Get("achieved_occupancy_pct"), 100) << "counters of other passes differ";
}

TEST(KernelView, TellsNarrowAccessesOfOneMemoryFromThoseOfTheOther) {
  KernelBuilder k("k");
  for (const char* width : {"8b", "16b", "32b", "64b", "128b"})
    k.Metric("sass_memory_" + std::string(width) + "_inst", 1);
  k.record.accesses = {{"shared", {{4, 10}, {16, 5}}}, {"global", {{2, 8}}}};
  const KernelView view(k.record);
  EXPECT_DOUBLE_EQ(*view.Get("sass_shared_width_inst"), 15);
  EXPECT_DOUBLE_EQ(*view.Get("sass_shared_narrow_inst"), 10);
  EXPECT_DOUBLE_EQ(*view.Get("sass_shared_spared_inst"), 7.5);
  EXPECT_DOUBLE_EQ(*view.Get("sass_global_spared_inst"), 7);
}

TEST(KernelView, ALaunchThatStatesNoWorkHasNoFlop) {
  KernelBuilder k("k");
  k.record.launch.flop = 0;
  EXPECT_EQ(KernelView(k.record).Get("flop").absence(), Absence::kUndefined);
}

TEST(KernelView, RefusesARuleThatReadsWhatItDidNotAskFor) {
  const KernelBuilder k("k");
  EXPECT_THROW(KernelView(k.record).At("l2_sectors"), std::logic_error);
}

}  // namespace
}  // namespace culprit
