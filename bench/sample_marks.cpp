// SPDX-License-Identifier: Apache-2.0
#include "bench/sample_marks.h"

#include <algorithm>
#include <cmath>

namespace culprit {

double Median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<Sample> Mark(const std::vector<TimedSample>& timed) {
  std::vector<double> clocks;
  for (const TimedSample& t : timed)
    if (t.clock_mhz) clocks.push_back(*t.clock_mhz);
  const double usual = Median(std::move(clocks));
  std::vector<Sample> samples;
  for (const TimedSample& t : timed)
    samples.push_back({0, t.time_us, t.clock_mhz, t.clock_mhz && *t.clock_mhz < kLowClockShare * usual});
  return samples;
}

double MedianTime(const std::vector<Sample>& samples) {
  std::vector<double> times;
  for (const Sample& s : samples)
    if (!s.low_clock) times.push_back(s.time_us);
  return Median(std::move(times));
}

}  // namespace culprit
