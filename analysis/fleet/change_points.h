// SPDX-License-Identifier: Apache-2.0
// Lasting steps in a series of medians: one kernel on one GPU model and branch, one value a recording (a night).
//
// The series is read as it grew. After each recording ("look"), its latest runs are compared with all runs before
// them since the last step: the latest 3, 4, 5, 6, 7, 8, 10, 12, 15, ... A step counts if two tests agree:
//
// - Student's t of the step in the model "step + slope", where the slope is one of days. So what drifts is no step,
//   also if nights are missing. The scatter is that of the series, but at least the known noise between recordings. If neighbours are alike, the runs count for less (AR(1)).
// - The exact rank sum test without the slope, if the slope is not significant. It holds for each distribution, so that
//   outliers, two modes or a rare slow mode make no step, as long as the nights are independent.
//
// A step needs few runs to be large, and more runs to be no mode. Until the second test agrees, it is a suspect.
//
// p is the larger of both, times the number of comparisons of this look, times L (L + 1) / 6 for the look at L runs.
// The sum of 6 / (L (L + 1)) over L = 6, 7, ... is 1. So a stretch without a change makes a false step with a probability of
// at most `level`, however many nights it is watched (Bonferroni's inequality). A step that was announced stays: later
// runs change neither its place nor its p.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/launch/machine.h"

namespace culprit {

// Fewest runs before and behind a step. Two could not tell a step from two outliers.
inline constexpr std::size_t kFewestRuns = 3;

struct Step {
  std::size_t run = 0;                   // index of the first run behind it
  std::size_t earliest = 0, latest = 0;  // where that run lies with 95 % confidence
  // Ratio - 1, from all runs of both stretches, with 95 % confidence.
  double change = 0, low = 0, high = 0;
  double p = 1;
  std::size_t known_at = 0;  // index of the run with which it became significant
  // False: a suspect, which the next nights confirm or withdraw. Only the last step of a series can be one.
  bool is_lasting = false;
  // The first run of an earlier stretch that had the same level: a change was undone, or a mode came back.
  std::optional<std::size_t> level_of = {};
};

// All in order of recording. `log_values`: logarithms, all finite. `noise`: NoiseBetweenRuns. `level`: for each stretch
// without a change, the accepted probability of a false step. FleetLevel or ScreeningLevel. `days`: of the runs,
// ascending; several may be equal. Empty: one run a day. If each side of a step is on one day, its model has no slope.
std::vector<Step> FindSteps(std::span<const double> log_values, double noise, double level,
                            std::span<const double> days = {});

// The gradual change over the whole series, apart from its steps.
struct Drift {
  double change = 0, low = 0, high = 0;  // ratio - 1 from the first run to the last, with 95 % confidence
  double p = 1;
};
// None if it is not significant at `level`.
std::optional<Drift> FindDrift(std::span<const double> log_values, std::span<const Step> steps, double noise,
                               double level, std::span<const double> days = {});

// The standard deviation of one recording's median, as a logarithm. A floor is exceeded by 1 % of the differences
// between two recordings.
double NoiseBetweenRuns(const NoiseFloor& floor, bool by_cycles);

// For at most one false step in 20 servers of this many series.
double FleetLevel(std::size_t series);

// The least p of all looks at runs from index `from` on, of a suspect at the end that of Student's t; 1: none below 0.05. Stretches
// begin as with FindSteps at `level`.
double LeastP(std::span<const double> log_values, double noise, double level, std::size_t from = 0,
              std::span<const double> days = {});

// Benjamini and Hochberg (1995): the largest level at which at most `false_share` of the series with a step are
// expected to have a false one. `least_p`: of all series.
double ScreeningLevel(std::vector<double> least_p, double false_share);

}  // namespace culprit
