// SPDX-License-Identifier: Apache-2.0
// The content of mixtures.csv and harmless.csv, and how shares follow from times.
#include "tests/planted/mixtures.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "analysis/judge/causes/cause.h"

namespace culprit::testing {
namespace {

const std::filesystem::path kPlanted = std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/planted";

TEST(MixtureAnswers, NameTwoCausesThatExistAndEachKernelOnce) {
  std::set<std::string> mixtures, kernels;
  for (const MixtureAnswer& m : ReadMixtures(kPlanted / "mixtures.csv")) {
    EXPECT_TRUE(mixtures.insert(m.mixture).second) << m.mixture;
    for (const std::string& kernel : {m.base, m.a, m.b, m.both}) EXPECT_TRUE(kernels.insert(kernel).second) << kernel;
    EXPECT_NE(FindCause(m.cause_a), nullptr) << m.mixture;
    EXPECT_NE(FindCause(m.cause_b), nullptr) << m.mixture;
    EXPECT_NE(m.cause_a, m.cause_b) << m.mixture;
  }
  EXPECT_GE(mixtures.size(), 12u);
}

TEST(ShareOfA, IsItsOwnPartWhereBothAddUp) { EXPECT_DOUBLE_EQ(ShareOfA(10, 13, 17, 20), 0.3); }

// 10 -> 20 by A, 10 -> 30 by B, 60 with both, as factors multiply: 50 more, and 20 of them are interaction.
TEST(ShareOfA, HasHalfOfTheInteraction) { EXPECT_DOUBLE_EQ(ShareOfA(10, 20, 30, 60), 0.4); }

// 40 and 30 more alone, 50 together: 20 of them overlap.
TEST(ShareOfA, LosesHalfOfWhatOverlaps) { EXPECT_DOUBLE_EQ(ShareOfA(10, 50, 40, 60), 0.6); }

TEST(ShareOfA, AddsUpToOneWithThatOfB) { EXPECT_DOUBLE_EQ(ShareOfA(10, 17, 31, 60) + ShareOfA(10, 31, 17, 60), 1.0); }

}  // namespace
}  // namespace culprit::testing
