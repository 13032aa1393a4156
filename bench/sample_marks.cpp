// SPDX-License-Identifier: Apache-2.0
#include "bench/sample_marks.h"

#include <cmath>

namespace culprit {
namespace {

// What is stored: 1 ns and 0.01 MHz, both finer than any GPU's timer ticks, and half the digits of a double.
double Thousandths(double value) { return std::round(value * 1000) / 1000; }
double Hundredths(double value) { return std::round(value * 100) / 100; }

}  // namespace

std::vector<Sample> Mark(const std::vector<TimedSample>& timed) {
  std::vector<Sample> samples;
  std::vector<double> clocks;
  for (const TimedSample& t : timed) {
    Sample& s = samples.emplace_back(Sample{0, Thousandths(t.time_us), std::nullopt, false, t.gate_open});
    if (t.clock_mhz) clocks.push_back(*(s.clock_mhz = Hundredths(*t.clock_mhz)));
  }
  const double usual = Median(std::move(clocks));
  for (Sample& s : samples) s.low_clock = s.clock_mhz && *s.clock_mhz < kLowClockShare * usual;
  return samples;
}

double MedianTime(const std::vector<Sample>& samples) {
  std::vector<double> times;
  for (const Sample& s : samples)
    if (!s.low_clock) times.push_back(s.time_us);
  return Median(std::move(times));
}

}  // namespace culprit
