// SPDX-License-Identifier: Apache-2.0
// Simulated noise, for verdicts on more pairs than anybody could record.
#pragma once
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit::testing {

// Standard deviations and sizes are relative, 0.001 for 0.1 %. The sizes come from the pairs of launches with equal
// machine code described in docs/evidence/noise.md.
struct NoiseModel {
  std::string_view name;
  double time_us;
  double launch;          // of the cycles, from launch to launch
  double sample;          // of the cycles, from sample to sample
  double tail_share = 0;  // the share of samples that take longer, by up to `tail`
  double tail = 0;
  double groups = 0;            // the distance between two groups; a sample is in either with equal probability
  double clock_launch = 0.001;  // of the clock, from launch to launch
  double timer = 0;             // every other launch is timed by a timer that is slow by this much
  double clock_drift = 0;       // of the clock within a launch, each sample's remembering 0.9 of the last one's
  double found = 0.95;          // the share of 2 % slow-downs that must be found
};

std::span<const NoiseModel> NoiseModels();

// 16 samples of one launch of a kernel that is slower than the model by `slowdown`, 0.02 for 2 %.
std::vector<Sample> Record(const NoiseModel& model, double slowdown, std::mt19937_64& random);

}  // namespace culprit::testing
