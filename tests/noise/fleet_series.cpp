// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/fleet_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "analysis/fleet/change_points.h"

namespace culprit::testing {
namespace {

// Of long launches on an H100, in cycles.
double KnownNoise() { return NoiseBetweenRuns(NoiseFloorOf("NVIDIA H100 80GB HBM3", 1000), true); }

using Random = std::mt19937_64;
double Normal(Random& random) { return std::normal_distribution<double>()(random); }
double Uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }

// Each night: `value` plus normal noise.
template <class Value>
NightlySeries Made(int nights, double noise, Random& random, Value value) {
  NightlySeries series;
  for (int i = 0; i < nights; ++i) series.logs.push_back(value(i) + noise * Normal(random));
  return series;
}

constexpr double kSlowMode = 0.0953;  // log(1.10)

NightlySeries Modes(int nights, double noise, Random& random, double share) {
  return Made(nights, noise, random, [&](int) { return Uniform(random) < share ? kSlowMode : 0; });
}
// Stays in a mode for 1 / `leaves` nights.
NightlySeries StickyModes(int nights, double noise, Random& random, double leaves) {
  bool slow = Uniform(random) < 0.5;
  return Made(nights, noise, random, [&](int) {
    if (Uniform(random) < leaves) slow = !slow;
    return slow ? kSlowMode : 0;
  });
}
NightlySeries Walk(int nights, double noise, Random& random, double of_noise) {
  double at = 0;
  return Made(nights, noise, random, [&](int) { return at += of_noise * noise * Normal(random); });
}
NightlySeries Drifting(int nights, double noise, Random& random) {
  const double slope = (2 * Uniform(random) - 1) * kSlowMode / nights;
  return Made(nights, noise, random, [&](int i) { return slope * i; });
}

constexpr SeriesKind kKinds[] = {
    {"known", "normal noise as known", true,
     [](int n, double noise, Random& r) { return Made(n, noise, r, [](int) { return 0.0; }); }},
    {"five", "normal noise, five times the known", true,
     [](int n, double noise, Random& r) { return Made(n, 5 * noise, r, [](int) { return 0.0; }); }},
    {"tails", "heavy tails (Student's t, 3 degrees)", true,
     [](int n, double noise, Random& r) {
       std::student_t_distribution<double> tailed(3);
       return Made(n, 0, r, [&](int) { return noise * tailed(r); });
     }},
    {"drift", "linear drift, up to 10 % in all", true, Drifting},
    {"missing", "linear drift, every fifth night missing at random", true,
     [](int n, double noise, Random& r) {
       NightlySeries left;
       const NightlySeries all = Drifting(n + n / 4, noise, r);
       for (std::size_t night = 0; night < all.logs.size(); ++night) {
         if (Uniform(r) >= 0.8) continue;
         left.logs.push_back(all.logs[night]);
         left.days.push_back(static_cast<double>(night));
       }
       return left;
     }},
    {"modes", "two modes 10 % apart, 30 and 70 % of the nights", true,
     [](int n, double noise, Random& r) { return Modes(n, noise, r, 0.3); }},
    {"rare", "a slow mode of +10 % in 5 % of the nights", true,
     [](int n, double noise, Random& r) { return Modes(n, noise, r, 0.05); }},
    {"walk_tenth", "random walk, 0.1 of the noise a night", false,
     [](int n, double noise, Random& r) { return Walk(n, noise, r, 0.1); }},
    {"walk_third", "random walk, 0.3 of the noise a night", false,
     [](int n, double noise, Random& r) { return Walk(n, noise, r, 0.3); }},
    {"walk", "random walk, as much as the noise a night", false,
     [](int n, double noise, Random& r) { return Walk(n, noise, r, 1); }},
    {"sticky_5", "two modes 10 % apart that last 5 nights", false,
     [](int n, double noise, Random& r) { return StickyModes(n, noise, r, 0.2); }},
    {"sticky_20", "two modes 10 % apart that last 20 nights", false,
     [](int n, double noise, Random& r) { return StickyModes(n, noise, r, 0.05); }},
};

// The night of a step; -1: none.
struct FleetSeries {
  NightlySeries series;
  int step = -1;
  std::size_t size = 0;  // of kStepSizes
};

// 60 nights. 85 % of the series have normal noise, most of it within a half and twice the known.
constexpr int kFleetNights = 60, kFirstStep = 20, kLastStep = 50;
FleetSeries OfFleet(int i, double noise, Random& random) {
  const double kind = Uniform(random), own = noise * std::exp(0.5 * Normal(random));
  FleetSeries one;
  const auto make = [&](std::string_view id) {
    return std::ranges::find(kKinds, id, &SeriesKind::id)->make(kFleetNights, own, random);
  };
  one.series = make(kind < 0.85   ? "known"
                    : kind < 0.90 ? "tails"
                    : kind < 0.95 ? "modes"
                    : kind < 0.98 ? "rare"
                                  : "drift");
  if (i % 100 != 0) return one;
  one.size = static_cast<std::size_t>(i / 100) % kStepSizes.size();
  one.step = std::uniform_int_distribution<int>(kFirstStep, kLastStep)(random);
  for (int night = one.step; night < kFleetNights; ++night)
    one.series.logs[static_cast<std::size_t>(night)] += std::log1p(kStepSizes[one.size]);
  return one;
}

// An announced step further away from the real one is false.
constexpr int kPlaceTolerance = 3;

FleetTally Announce(const std::string& method, std::span<const FleetSeries> fleet, double noise, double level) {
  FleetTally tally{method, static_cast<int>(fleet.size())};
  std::array<std::vector<int>, kStepSizes.size()> nights;
  for (const FleetSeries& one : fleet) {
    bool announced = false, wrong = false, found = false;
    for (const Step& step : FindSteps(one.series.logs, noise, level, one.series.days)) {
      if (!step.is_lasting) continue;
      announced = true;
      const bool right = one.step >= 0 && std::abs(static_cast<int>(step.run) - one.step) <= kPlaceTolerance;
      wrong |= !right;
      if (right && !found) nights[one.size].push_back(static_cast<int>(step.known_at) - one.step + 1);
      found |= right;
    }
    tally.announced += announced;
    tally.wrong += wrong;
    if (one.step < 0) continue;
    ++tally.sizes[one.size].steps;
    tally.sizes[one.size].found += found;
  }
  for (std::size_t i = 0; i < nights.size(); ++i) {
    std::ranges::sort(nights[i]);
    if (!nights[i].empty()) tally.sizes[i].nights = nights[i][nights[i].size() / 2];
  }
  return tally;
}

constexpr const char* kStepsFile = "fleet_steps.csv";
constexpr const char* kFoundFile = "fleet_found.csv";
std::string PathOf(const char* file) { return std::string(CULPRIT_NOISE_FOLDER) + "/" + file; }

// The rows behind the heading, as words.
std::vector<std::vector<std::string>> Rows(const char* file) {
  std::ifstream in(PathOf(file));
  std::vector<std::vector<std::string>> rows;
  std::string line, cell;
  for (std::getline(in, line); std::getline(in, line);) {
    std::istringstream cells(line);
    for (rows.emplace_back(); std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

}  // namespace

std::span<const SeriesKind> SeriesKinds() { return kKinds; }

StepTally TallyOf(const SeriesKind& kind, int nights, int series) {
  const double noise = KnownNoise();
  StepTally tally{std::string(kind.id), nights, series};
  Random random(static_cast<unsigned>(nights));
  for (int i = 0; i < series; ++i) {
    const NightlySeries made = kind.make(nights, noise, random);
    const double least = LeastP(made.logs, noise, 0, 0, made.days);  // of suspects too
    for (std::size_t level = 0; level < kLevels.size() && least <= kLevels[level]; ++level) {
      const std::vector<Step> steps = FindSteps(made.logs, noise, kLevels[level], made.days);
      tally.false_steps[level] += std::ranges::any_of(steps, &Step::is_lasting);
      if (level + 1 == kLevels.size()) tally.suspects += !steps.empty() && !steps.back().is_lasting;
    }
  }
  return tally;
}

std::vector<FleetTally> TalliesOfFleet(int series) {
  const double noise = KnownNoise();
  Random random(1);
  std::vector<FleetSeries> fleet;
  std::vector<double> least;
  for (int i = 0; i < series; ++i) {
    fleet.push_back(OfFleet(i, noise, random));
    least.push_back(LeastP(fleet.back().series.logs, noise, FleetLevel(static_cast<std::size_t>(series))));
  }
  return {Announce("server", fleet, noise, FleetLevel(fleet.size())),
          Announce("screening", fleet, noise, ScreeningLevel(least, 0.05))};
}

std::vector<StepTally> RecordedStepTallies() {
  std::vector<StepTally> tallies;
  for (const auto& row : Rows(kStepsFile)) {
    StepTally& tally = tallies.emplace_back(StepTally{row.at(0), std::stoi(row.at(1)), std::stoi(row.at(2))});
    for (std::size_t i = 0; i < kLevels.size(); ++i) tally.false_steps[i] = std::stoi(row.at(3 + i));
    tally.suspects = std::stoi(row.at(3 + kLevels.size()));
  }
  return tallies;
}

std::vector<FleetTally> RecordedFleetTallies() {
  std::vector<FleetTally> tallies;
  for (const auto& row : Rows(kFoundFile)) {
    FleetTally& tally =
        tallies.emplace_back(FleetTally{row.at(0), std::stoi(row.at(1)), std::stoi(row.at(2)), std::stoi(row.at(3))});
    for (std::size_t i = 0; i < kStepSizes.size(); ++i)
      tally.sizes[i] = {std::stoi(row.at(4 + 3 * i)), std::stoi(row.at(5 + 3 * i)), std::stoi(row.at(6 + 3 * i))};
  }
  return tallies;
}

void Write(std::span<const StepTally> steps, std::span<const FleetTally> fleet) {
  std::ofstream steps_file(PathOf(kStepsFile)), found_file(PathOf(kFoundFile));
  steps_file << "kind,nights,series";
  for (const double level : kLevels) steps_file << fmt::format(",false_at_{:.0e}", level);
  steps_file << ",suspects\n";
  for (const StepTally& t : steps)
    steps_file << fmt::format("{},{},{},{},{}\n", t.kind, t.nights, t.series, fmt::join(t.false_steps, ","),
                              t.suspects);
  found_file << "method,series,announced,wrong";
  for (const double size : kStepSizes)
    found_file << fmt::format(",steps_of_{0:.0f},found_of_{0:.0f},nights_of_{0:.0f}", 100 * size);
  found_file << '\n';
  for (const FleetTally& t : fleet) {
    found_file << fmt::format("{},{},{},{}", t.method, t.series, t.announced, t.wrong);
    for (const auto& size : t.sizes) found_file << fmt::format(",{},{},{}", size.steps, size.found, size.nights);
    found_file << '\n';
  }
}

}  // namespace culprit::testing
