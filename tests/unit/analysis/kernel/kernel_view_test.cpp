// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel/kernel_view.h"

#include <gtest/gtest.h>

#include <stdexcept>

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
