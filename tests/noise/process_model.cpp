// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/process_model.h"

#include <cmath>

namespace culprit::testing {
namespace {

constexpr int kSamples = 16;
constexpr double kTimeUs = 200, kClockMhz = 1975;

// 0.07 %: half of the pairs of 45 processes on H100 (docs/evidence/noise.md). 1.6 %: on an H100 a stream was slower by
// this in one of two recordings of the same code.
constexpr ProcessModel kModels[] = {
    {.name = "quiet processes", .process = 0.0007},
    {.name = "wide processes", .process = 0.005},
    {.name = "a mode of 1.6 %", .mode = 0.016, .process = 0.0007},
    {.name = "a mode of 5 %", .mode = 0.05, .process = 0.0007},
    {.name = "a drift of 1 %", .drift = 0.01, .process = 0.0007},
    {.name = "a drift of 3 %", .drift = 0.03, .process = 0.0007},
    {.name = "a mode of 1.6 % and a drift of 2 %", .mode = 0.016, .drift = 0.02, .process = 0.0007},
};

double Normal(std::mt19937_64& random, double deviation) {
  return std::normal_distribution<double>(0, 1)(random) * deviation;
}

bool Coin(std::mt19937_64& random) { return std::uniform_int_distribution<int>(0, 1)(random) == 1; }

void RecordProcess(const ProcessModel& m, int process, double logarithm, std::mt19937_64& random,
                   std::vector<Sample>& into) {
  const double all = logarithm + (Coin(random) ? std::log1p(m.mode) : 0) + Normal(random, m.process);
  for (int i = 0; i < kSamples; ++i)
    into.push_back({0, kTimeUs * std::exp(all + Normal(random, m.sample)), kClockMhz, false, false, process});
}

}  // namespace

std::span<const ProcessModel> ProcessModels() { return kModels; }

std::pair<std::vector<Sample>, std::vector<Sample>> RecordInTurns(const ProcessModel& m, int processes, Order order,
                                                                  double slowdown, std::mt19937_64& random) {
  std::pair<std::vector<Sample>, std::vector<Sample>> sides;
  const double drift = Coin(random) ? m.drift : -m.drift;
  for (int i = 0; i < processes; ++i) {
    const int new_first = order == Order::kForthAndBack ? i % 2 : 0;
    const auto at = [&](int turn) { return drift * (2 * i + turn) / (2 * processes - 1); };
    RecordProcess(m, i, at(new_first), random, sides.first);
    RecordProcess(m, i, at(1 - new_first) + std::log1p(slowdown), random, sides.second);
  }
  return sides;
}

}  // namespace culprit::testing
