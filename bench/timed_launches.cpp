// SPDX-License-Identifier: Apache-2.0
#include "bench/timed_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/sample_marks.h"

namespace culprit {

void TimedLaunches::Store(Job& job, std::span<const Sample> samples) {
  std::vector<double> times, clocks;
  for (const Sample& s : samples) {
    times.push_back(s.time_us);
    if (s.clock_mhz) clocks.push_back(*s.clock_mhz);
  }
  job.time_us = Median(std::move(times));
  job.clock_mhz = Median(std::move(clocks));
  if (job.stored)
    job.stored = recorder_.StoreAgain(job.record, samples);
  else
    StoreLaunch(job, recorder_, samples);
}

void TimedLaunches::WarnOf(const Job& job, std::span<const Sample> samples) {
  std::vector<double> clocks;
  for (const Sample& s : samples)
    if (s.clock_mhz) clocks.push_back(*s.clock_mhz);
  const double clock = Median(std::move(clocks));
  if (clock > 0) {
    highest_clock_ = std::max(highest_clock_, clock);
    if (clock < kLowClockShare * highest_clock_)
      recorder_.Warn(
          {"low_clock", fmt::format("ran at {:.0f} MHz where this run has seen {:.0f} MHz: compare cycles, not times",
                                    clock, highest_clock_)},
          job.Name(), job.stored);
  }
  const auto open = std::count_if(samples.begin(), samples.end(), [](const Sample& s) { return s.gate_open; });
  if (open > 0)
    recorder_.Warn({"gate_open", fmt::format("the timer's gate gave up in {} of {} samples before the launch was "
                                             "enqueued, so their times may hold waiting for the host: launch without "
                                             "waiting for the device",
                                             open, samples.size())},
                   job.Name(), job.stored);
}

}  // namespace culprit
