// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/noise/noise_model.h"
#include "tests/noise/tally.h"

namespace culprit::testing {
namespace {

constexpr int kPairs = 1000;
constexpr std::string_view kH100 = "NVIDIA H100 80GB HBM3";

Tally CountPairs(const NoiseModel& model, double slowdown, Speed expected) {
  std::mt19937_64 random(2026);
  Tally tally;
  for (int i = 0; i < kPairs; ++i) {
    const auto base = Record(model, 0, random), candidate = Record(model, slowdown, random);
    tally.Count(VerdictOn(base, candidate, NoiseFloorOf(kH100, model.time_us)), expected, std::string(model.name));
  }
  return tally;
}

TEST(SimulatedPairs, AtMostOneInAHundredOfTheSameKernelIsNotSame) {
  for (const NoiseModel& model : NoiseModels()) {
    const Tally tally = CountPairs(model, 0, Speed::kSame);
    EXPECT_GE(tally.Share(Speed::kSame), 0.99) << model.name << ": " << tally;
  }
}

TEST(SimulatedPairs, TwoPercentSlowerIsFound) {
  for (const NoiseModel& model : NoiseModels()) {
    const Tally tally = CountPairs(model, 0.02, Speed::kSlower);
    EXPECT_GE(tally.Share(Speed::kSlower), model.found) << model.name << ": " << tally;
    EXPECT_EQ(tally.Share(Speed::kFaster), 0) << model.name << ": " << tally;
  }
}

TEST(SimulatedPairs, FivePercentSlowerIsAlwaysFound) {
  for (const NoiseModel& model : NoiseModels()) {
    const Tally tally = CountPairs(model, 0.05, Speed::kSlower);
    EXPECT_GE(tally.Share(Speed::kSlower), 0.999) << model.name << ": " << tally;
  }
}

}  // namespace
}  // namespace culprit::testing
