// SPDX-License-Identifier: Apache-2.0
// Noise of known kind, for verdicts on more pairs than anybody records.
#pragma once
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit::testing {

// Standard deviations and sizes are relative, 0.001 for 0.1 %. The sizes come from the pairs of launches with equal
// machine code that docs/noise.md tells of.
struct NoiseModel {
  std::string_view name;
  double time_us;
  double launch;          // of the cycles, from launch to launch
  double sample;          // of the cycles, from sample to sample
  double tail_share = 0;  // of samples that take longer, by up to `tail`
  double tail = 0;
  double groups = 0;            // distance of two groups, into which samples fall with equal probability
  double clock_launch = 0.001;  // of the clock, from launch to launch
  double timer = 0;             // every other launch is timed by a timer that is this much slow
  double clock_drift = 0;       // of the clock within a launch, each sample's remembering 0.9 of the last one's
  double found = 0.95;          // the share of 2 % slow-downs that must be found
};

std::span<const NoiseModel> NoiseModels();

// 16 samples of one launch of a kernel that takes `slowdown` longer than the model says, 0.02 for 2 %.
std::vector<Sample> Record(const NoiseModel& model, double slowdown, std::mt19937_64& random);

}  // namespace culprit::testing
