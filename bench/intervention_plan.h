// SPDX-License-Identifier: Apache-2.0
// Plans the changes of a launch and how often each is timed. Needs no GPU.
#pragma once
#include <functional>
#include <optional>
#include <vector>

namespace culprit {

// The numbers of resident blocks at which a kernel with `blocks` is timed: all, 3/4, 1/2, 1/4, one.
std::vector<int> SweepPoints(int blocks);

// Whether blocks of a kernel may wait for each other, so that it hangs with fewer resident blocks. This is possible
// only if the whole grid is resident at once. In a larger grid, some blocks start only after others have ended.
bool MayBlocksWait(double grid_blocks, int resident_blocks, int sm_count);

// Seconds of wall time for the interventions of one kernel. Short launches get less, because programs have many of
// them.
inline constexpr double kShortLaunchUs = 1000;
inline constexpr double kBudgetS = 0.9, kBudgetOfShortS = 0.08;
// Both are odd, so that the median is a sample. With fewer than three, a single outlier would determine the median.
inline constexpr int kLeastRounds = 3, kMostRounds = 7;

double SteadySeconds();

// One timed setting.
struct PlannedSetting {
  // The largest possible slow-down relative to the previous setting: 1, or the ratio of their numbers of blocks.
  double growth = 1;
  // Applies the setting, launches, and returns the launch's time in microseconds.
  std::function<double()> time;
};

// Runs the settings in turn: once to learn their cost, then for as many rounds as the budget allows. Leaves out a
// setting above the budget and all later ones. Returns the times of each setting. `now`: a clock in seconds.
std::vector<std::vector<double>> RunInTurn(const std::vector<PlannedSetting>& settings,
                                           const std::function<double()>& now = SteadySeconds);

}  // namespace culprit
