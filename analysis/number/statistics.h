// SPDX-License-Identifier: Apache-2.0
// What a set of timed executions says. Samples taken far below the run's usual clock are counted but left out of every
// number.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "analysis/number/measured.h"
#include "db/records.h"

namespace culprit {

// Microseconds.
struct Distribution {
  double min = 0, median = 0, max = 0, mean = 0;
  // Missing for a single sample, which says nothing about how far others lie from it.
  Measured q1, q3;
  Measured cv;  // sample standard deviation (n - 1) over mean
};

struct TimeSummary {
  int kept = 0;
  int left_out = 0;                     // low_clock
  int no_times = 0;                     // a time that is not IsPositive
  int no_clocks = 0;                    // of the kept samples, those whose clock is there and cannot be one
  std::optional<Distribution> time_us;  // none when nothing was kept
  std::optional<double> clock_mhz;      // median over the kept samples that carry a clock
};

// `q` in [0, 1]; linear interpolation between order statistics (Hyndman and Fan 1996, type 7, as NumPy and R default
// to). `sorted` must be ascending and not empty.
double Quantile(std::span<const double> sorted, double q);

std::optional<Distribution> Describe(std::vector<double> values);

// A time or a clock that something can have taken: positive and finite. Anything else was stored by mistake or by
// malice; it is left out and said, never compared.
bool IsPositive(double value);
// Kept: neither at a low clock nor without a time.
bool IsKept(const Sample& sample);
// None where the sample has no clock, and where what it has cannot be one.
std::optional<double> ClockOf(const Sample& sample);

TimeSummary Summarize(std::span<const Sample> samples);

}  // namespace culprit
