// SPDX-License-Identifier: Apache-2.0
// What is changed about a launch, and how often each is timed. No GPU in here.
#pragma once
#include <functional>
#include <optional>
#include <vector>

namespace culprit {

// Resident blocks at which a kernel of `blocks` of them is timed, most first: all, three quarters, half, a quarter,
// one.
std::vector<int> SweepPoints(int blocks);

// Whether blocks of a kernel may wait for each other, so that it hangs where fewer of them are resident: only where all
// of its grid is at once. With more blocks than that, some start when others have ended.
bool MayBlocksWait(double grid_blocks, int resident_blocks, int sm_count);

// Wall time that the interventions of one kernel may take, in seconds: whoever launches short kernels has many.
inline constexpr double kShortLaunchUs = 1000;
inline constexpr double kBudgetS = 0.9, kBudgetOfShortS = 0.08;
// Odd, so that the median is a sample. With fewer than three a single hiccup would decide.
inline constexpr int kLeastRounds = 3, kMostRounds = 7;

double SteadySeconds();

// One thing that is timed.
struct PlannedSetting {
  // How much longer than the setting before it can take; 1 but for fewer blocks, with which latency takes as many times
  // longer.
  double growth = 1;
  // Makes it so, launches and returns how long the launch took, in microseconds.
  std::function<double()> time;
};

// Runs the settings in turn: once to see what they cost, then in as many rounds as the budget has. A setting that the
// budget does not hold is left out, with all that follow. Returns for each setting its times. `now`: seconds on a
// clock.
std::vector<std::vector<double>> RunInTurn(const std::vector<PlannedSetting>& settings,
                                           const std::function<double()>& now = SteadySeconds);

}  // namespace culprit
