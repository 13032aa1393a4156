// SPDX-License-Identifier: Apache-2.0
#include "bench/intervention_plan.h"

#include <algorithm>
#include <chrono>

namespace culprit {

std::vector<int> SweepPoints(int blocks) {
  std::vector<int> points;
  for (const int quarters : {4, 3, 2, 1})
    if (const int point = blocks * quarters / 4; point > 0) points.push_back(point);
  points.push_back(1);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

bool MayBlocksWait(double grid_blocks, int resident_blocks, int sm_count) {
  return grid_blocks <= 1.0 * resident_blocks * sm_count;
}

double SteadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<std::vector<double>> RunInTurn(const std::vector<PlannedSetting>& settings,
                                           const std::function<double()>& now) {
  double us = 0;
  const auto seconds_of = [&](const PlannedSetting& setting) {
    const double begin = now();
    us = setting.time();
    return now() - begin;
  };
  // The first time of a setting also pays for what CUDA does lazily, so it only says what the others will cost.
  double round_s = 0, last_s = 0, budget_s = kBudgetS;
  std::size_t held = 0;
  for (; held < settings.size(); ++held) {
    if (held > 0 && (kLeastRounds + 1) * (round_s + last_s * settings[held].growth) > budget_s) break;
    last_s = seconds_of(settings[held]);
    if (held == 0) {
      last_s = seconds_of(settings[held]);
      if (us < kShortLaunchUs) budget_s = kBudgetOfShortS;
      if ((kLeastRounds + 1) * last_s > budget_s) break;
    }
    round_s += last_s;
  }
  std::vector<std::vector<double>> times(settings.size());
  if (held == 0) return times;
  int rounds = std::clamp(static_cast<int>(budget_s / round_s) - 1, kLeastRounds, kMostRounds);
  if (rounds % 2 == 0) --rounds;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < held; ++i) times[i].push_back(settings[i].time());
  return times;
}

}  // namespace culprit
