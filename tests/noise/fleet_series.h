// SPDX-License-Identifier: Apache-2.0
// Invented series of nightly medians: without a step, and fleets in which some series have one.
#pragma once
#include <array>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::testing {

struct NightlySeries {
  std::vector<double> logs;       // one a night
  std::vector<double> days = {};  // empty: no night is missing
};

// Series without a step. `noise`: the known noise.
struct SeriesKind {
  std::string_view id, name;
  // At most the level of the series has a false step. Not promised where nights depend on each other in a way that no
  // test can tell from steps.
  bool is_promised = true;
  NightlySeries (*make)(int nights, double noise, std::mt19937_64& random) = nullptr;
};
std::span<const SeriesKind> SeriesKinds();

// The last one is that of a server with 100,000 series.
inline constexpr std::array kLevels = {1e-2, 1e-3, 1e-4, 5e-7};

// How many series have a false step at each level.
struct StepTally {
  std::string kind;
  int nights = 0, series = 0;
  std::array<int, kLevels.size()> false_steps{};
  int suspects = 0;  // after the last night, at the last level
};
StepTally TallyOf(const SeriesKind& kind, int nights, int series);

// Of a fleet in which one series in a hundred has a step of one of kStepSizes.
inline constexpr std::array kStepSizes = {0.02, 0.03, 0.05, 0.10};
struct FleetTally {
  std::string method;  // "server": FleetLevel; "screening": ScreeningLevel of 5 %
  int series = 0;
  int announced = 0, wrong = 0;  // series with a lasting step; of these, those with a false one
  struct OfSize {
    int steps = 0, found = 0;
    int nights = 0;  // from the step until it was announced: the median
  };
  std::array<OfSize, kStepSizes.size()> sizes{};
};
std::vector<FleetTally> TalliesOfFleet(int series);

// fleet_steps.csv and fleet_found.csv in this folder, which a long run writes.
std::vector<StepTally> RecordedStepTallies();
std::vector<FleetTally> RecordedFleetTallies();
void Write(std::span<const StepTally> steps, std::span<const FleetTally> fleet);

}  // namespace culprit::testing
