// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/noise_model.h"

#include <cmath>

namespace culprit::testing {
namespace {

constexpr int kSamples = 16;
constexpr double kClockMhz = 1975;
constexpr double kTickUs = 0.032;  // of events on an H100: all recorded times are multiples of it

constexpr NoiseModel kModels[] = {
    {.name = "a kernel of 1 ms as most are", .time_us = 1000, .launch = 0.0015, .sample = 0.0012, .timer = 0.0085},
    {.name = "a short kernel, in ticks of the timer",
     .time_us = 40,
     .launch = 0.0015,
     .sample = 0.001,
     .timer = 0.0085},
    {.name = "a long tail", .time_us = 300, .launch = 0.0015, .sample = 0.001, .tail_share = 0.1, .tail = 0.03},
    {.name = "two groups of samples, 0.8 % apart", .time_us = 2600, .launch = 0.002, .sample = 0.0005, .groups = 0.008},
    {.name = "a clock that drifts within the launch",
     .time_us = 150,
     .launch = 0.0015,
     .sample = 0.001,
     .clock_drift = 0.0025},
    {.name = "a kernel that is different with each recording", .time_us = 2000, .launch = 0.0025, .sample = 0.001},
    // Samples that scatter like those of view_naive at 1024, as in one launch of a hundred: 2 % is 1.4 standard
    // deviations of a sample, so 16 samples miss it in a third of the pairs.
    {.name = "very wide samples", .time_us = 425, .launch = 0.0015, .sample = 0.014, .found = 0.6},
};

double Normal(std::mt19937_64& random, double deviation) {
  return std::normal_distribution<double>(0, 1)(random) * deviation;
}

bool Happens(std::mt19937_64& random, double probability) {
  return std::uniform_real_distribution<double>(0, 1)(random) < probability;
}

}  // namespace

std::span<const NoiseModel> NoiseModels() { return kModels; }

std::vector<Sample> Record(const NoiseModel& m, double slowdown, std::mt19937_64& random) {
  // Cycles, and time by a perfect timer. A slow timer shows less time and so, for the same cycles, a higher clock.
  const double launch_us = m.time_us * (1 + slowdown) * std::exp(Normal(random, m.launch));
  const double launch_clock = std::exp(Normal(random, m.clock_launch));
  const double timer = Happens(random, 0.5) ? 1 - m.timer : 1;
  std::vector<Sample> samples;
  double drift = Normal(random, m.clock_drift);
  for (int i = 0; i < kSamples; ++i) {
    double scatter = std::exp(Normal(random, m.sample));
    if (Happens(random, m.tail_share)) scatter *= 1 + std::uniform_real_distribution<double>(0, m.tail)(random);
    if (Happens(random, 0.5)) scatter *= 1 + m.groups;
    drift = 0.9 * drift + Normal(random, m.clock_drift * std::sqrt(1 - 0.9 * 0.9));
    const double clock = launch_clock * std::exp(drift);
    const double time_us = std::round(launch_us * scatter / clock * timer / kTickUs) * kTickUs;
    samples.push_back({i, time_us, kClockMhz * clock / timer, false});
  }
  return samples;
}

}  // namespace culprit::testing
