// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace culprit {

double Quantile(std::span<const double> sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::optional<Distribution> Describe(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  Distribution d;
  d.min = values.front();
  d.median = Quantile(values, 0.5);
  d.max = values.back();
  d.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return d;
  d.q1 = Quantile(values, 0.25);
  d.q3 = Quantile(values, 0.75);
  double squares = 0;
  for (double v : values) squares += (v - d.mean) * (v - d.mean);
  if (d.mean != 0) d.cv = std::sqrt(squares / (n - 1)) / std::abs(d.mean);
  return d;
}

bool IsPositive(double value) { return std::isfinite(value) && value > 0; }

bool IsKept(const Sample& sample) { return !sample.low_clock && IsPositive(sample.time_us); }

std::optional<double> ClockOf(const Sample& sample) {
  return sample.clock_mhz && IsPositive(*sample.clock_mhz) ? sample.clock_mhz : std::nullopt;
}

TimeSummary Summarize(std::span<const Sample> samples) {
  TimeSummary summary;
  std::vector<double> times, clocks;
  for (const Sample& sample : samples) {
    summary.left_out += sample.low_clock;
    if (!IsPositive(sample.time_us)) ++summary.no_times;
    if (!IsKept(sample)) continue;
    times.push_back(sample.time_us);
    if (const auto clock = ClockOf(sample))
      clocks.push_back(*clock);
    else if (sample.clock_mhz)
      ++summary.no_clocks;
  }
  summary.kept = static_cast<int>(times.size());
  summary.time_us = Describe(std::move(times));
  if (const auto clock = Describe(std::move(clocks))) summary.clock_mhz = clock->median;
  return summary;
}

std::map<int, TimedValues> ValuesByProcess(std::span<const Sample> samples) {
  std::map<int, TimedValues> by_process;
  for (const Sample& s : samples) {
    if (!IsKept(s)) continue;
    TimedValues& values = by_process[s.process];
    values.times.push_back(s.time_us);
    // The product of two such numbers need not be one.
    if (const auto clock = ClockOf(s); clock && IsPositive(s.time_us * *clock))
      values.cycles.push_back(s.time_us * *clock);
  }
  return by_process;
}

TimedValues Together(const std::map<int, TimedValues>& processes, bool as_one) {
  TimedValues all;
  for (const auto& [process, values] : processes)
    for (auto TimedValues::*of : {&TimedValues::times, &TimedValues::cycles}) {
      if (!as_one)
        (all.*of).insert((all.*of).end(), (values.*of).begin(), (values.*of).end());
      else if (const auto summary = Describe(values.*of))
        (all.*of).push_back(summary->median);
    }
  return all;
}

}  // namespace culprit
