// SPDX-License-Identifier: Apache-2.0
// Statistics of timed executions. Samples far below the run's usual clock are counted (left_out) and used nowhere else.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analysis/number/measured.h"
#include "db/records.h"

namespace culprit {

// In microseconds, except cv.
struct Distribution {
  double min = 0, median = 0, max = 0, mean = 0;
  // Missing for a single sample, which says nothing about scatter.
  Measured q1, q3;
  Measured cv;  // sample standard deviation (n - 1) / mean
};

struct TimeSummary {
  int kept = 0;
  int left_out = 0;                     // low_clock
  int no_times = 0;                     // a time that is not IsPositive
  int no_clocks = 0;                    // kept samples whose clock is not IsPositive
  std::optional<Distribution> time_us;  // none when no sample was kept
  std::optional<double> clock_mhz;      // median over the kept samples with a clock
};

// `q` in [0, 1]. Interpolates linearly between order statistics (Hyndman and Fan 1996, type 7, the default of NumPy and
// R). `sorted` must be ascending and not empty.
double Quantile(std::span<const double> sorted, double q);

std::optional<Distribution> Describe(std::vector<double> values);

// True for a possible time or clock: positive and finite. Other values are errors; they are left out and reported.
bool IsPositive(double value);
// Kept: has a valid time and no low clock.
bool IsKept(const Sample& sample);
// None when the sample has no clock or an impossible one.
std::optional<double> ClockOf(const Sample& sample);

TimeSummary Summarize(std::span<const Sample> samples);

// The times of kept samples, and the cycles (time x clock) of those that have a clock.
struct TimedValues {
  std::vector<double> times, cycles;
};
std::map<int, TimedValues> ValuesByProcess(std::span<const Sample> samples);
// The values of all processes in one list. `as_one`: each process counts once, with its median.
TimedValues Together(const std::map<int, TimedValues>& processes, bool as_one);

}  // namespace culprit
