// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel_view.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/unit/analysis/invented_study.h"

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
