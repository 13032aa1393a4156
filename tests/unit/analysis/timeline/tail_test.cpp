// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/tail.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "analysis/timeline/phase_rates.h"
#include "db/sampled_counters.h"

namespace culprit {
namespace {

constexpr double kSubPartitions = 4, kCycles = 1000;

// 1,000 cycles of 100 SMs.
KernelRecord AKernel() {
  KernelRecord kernel;
  kernel.run.run.device.emplace().sm_count = 100;
  kernel.samples.resize(1);
  kernel.samples[0].clock_mhz = 1000;
  return kernel;
}

// Phases in which so many SMs have a warp, each with an error of `error` SMs.
PhaseProfile Profile(const std::vector<double>& edges, const std::vector<double>& sms, double error) {
  PhaseProfile profile{SampledMetric("smsp_cycles_active"), kCycles, edges, {}, {}};
  for (std::size_t q = 0; q < sms.size(); ++q) {
    const double cycles = kSubPartitions * kCycles * (edges[q + 1] - edges[q]);
    profile.counts.push_back(sms[q] * cycles);
    profile.errors.push_back(error * cycles);
  }
  return profile;
}

std::optional<Tail> TailIn(const PhaseProfile& profile) {
  const KernelRecord kernel = AKernel();
  return TailOf(kernel, RatesInside(kernel, std::span(&profile, 1)));
}

std::vector<double> Even(int phases) {
  std::vector<double> edges;
  for (int q = 0; q <= phases; ++q) edges.push_back(static_cast<double>(q) / phases);
  return edges;
}

TEST(TailOf, IsTheEndInWhichFewSmsHaveAWarp) {
  const auto tail = TailIn(Profile(Even(8), {90, 90, 90, 90, 90, 90, 20, 20}, 1));
  ASSERT_TRUE(tail);
  EXPECT_NEAR(tail->share, 0.25, 0.01);
  EXPECT_LT(tail->share_error, 0.01);
  EXPECT_NEAR(tail->sms, 20, 2);
  EXPECT_NEAR(tail->sms_before, 90, 1);
}

TEST(TailOf, MayBeginInsideAPhase) {
  // Three tenths of the sixth phase are before it: 0.3 x 90 + 0.7 x 20.
  const auto tail = TailIn(Profile(Even(8), {90, 90, 90, 90, 90, 41, 20, 20}, 1));
  ASSERT_TRUE(tail);
  EXPECT_NEAR(tail->share, (0.7 + 2) / 8, 2 * tail->share_error);
  EXPECT_LT(tail->share_error, 0.01);
}

TEST(TailOf, IsNoneWhereMostSmsWorkToTheEnd) {
  const auto tail = TailIn(Profile(Even(8), {90, 90, 90, 90, 90, 90, 70, 60}, 1));
  ASSERT_TRUE(tail);
  EXPECT_EQ(tail->share, 0) << "more than half of the SMs";
  const auto even = TailIn(Profile(Even(8), {90, 90, 90, 90, 90, 90, 90, 90}, 1));
  ASSERT_TRUE(even);
  EXPECT_EQ(even->share, 0);
  EXPECT_LT(even->share_error, 0.02);
}

TEST(TailOf, IsNotKnownWhereErrorsCouldHideIt) {
  EXPECT_FALSE(TailIn(Profile(Even(8), {90, 90, 90, 90, 90, 90, 90, 90}, 60)));
  EXPECT_FALSE(TailIn(Profile(Even(8), {90, 90, 90, 90, 90, 90, 20, 20}, 0))) << "an error of 0 is no error";
  EXPECT_FALSE(TailIn(Profile(Even(2), {90, 20}, 1))) << "a step has three unknowns";
  EXPECT_FALSE(TailOf(AKernel(), {}));
}

TEST(TailOf, ClaimsNoMoreThanScatteredPhasesShow) {
  const std::vector<double> sms = {110, 70, 105, 75, 110, 70, 25, 5};
  const auto scattered = TailIn(Profile(Even(8), sms, 1)), honest = TailIn(Profile(Even(8), sms, 20));
  ASSERT_TRUE(scattered && honest);
  EXPECT_GT(scattered->sms_error, 5) << "phases that scatter by 20 SMs have errors as large";
  EXPECT_NEAR(scattered->share, honest->share, 0.02);
}

// Of random launches with a tail, nine in ten have it within two of its errors; forty of them scatter.
RC_GTEST_PROP(TailOf, FindsRandomTailsWithinItsErrors, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
  std::normal_distribution<double> normal;
  const auto phases = *rc::gen::inRange(6, 20);
  const double share = *rc::gen::inRange(15, 60) / 100.0, few = *rc::gen::inRange(1, 35);
  const double error = *rc::gen::inRange(1, 6);
  const std::vector<double> edges = Even(phases);
  int within = 0, sms_within = 0;
  constexpr int kTries = 40;
  for (int n = 0; n < kTries; ++n) {
    std::vector<double> sms;
    for (int q = 0; q < phases; ++q) {
      const double from = edges[static_cast<std::size_t>(q)], width = 1.0 / phases;
      const double early = std::clamp((1 - share - from) / width, 0.0, 1.0);
      sms.push_back(early * 100 + (1 - early) * few + error * normal(random));
    }
    const auto tail = TailIn(Profile(edges, sms, error));
    RC_ASSERT(tail.has_value());
    within += std::abs(tail->share - share) <= 2 * tail->share_error;
    sms_within += std::abs(tail->sms - few) <= 2 * tail->sms_error + 0.5;
  }
  RC_ASSERT(within >= kTries * 7 / 10);
  RC_ASSERT(sms_within >= kTries * 7 / 10);
}

// Without a tail none is claimed, but for one launch in a hundred.
RC_GTEST_PROP(TailOf, InventsNone, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
  std::normal_distribution<double> normal;
  const std::vector<double> edges = Even(*rc::gen::inRange(6, 20));
  int claimed = 0;
  for (int n = 0; n < 40; ++n) {
    std::vector<double> sms(edges.size() - 1, 100);
    for (double& at : sms) at += 20 * normal(random);
    const auto tail = TailIn(Profile(edges, sms, 20));
    claimed += tail && tail->share > 0;
  }
  RC_ASSERT(claimed <= 4);  // a tenth
}

}  // namespace
}  // namespace culprit
