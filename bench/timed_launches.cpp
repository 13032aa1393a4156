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
    job.stored = writer_.StoreAgain(job.record, samples);
  else
    StoreLaunch(job, writer_, samples);
}

void TimedLaunches::WarnOf(const Job& job, std::span<const Sample> samples) {
  if (const double clock = job.clock_mhz; clock > 0) {
    highest_clock_ = std::max(highest_clock_, clock);
    if (clock < kLowClockShare * highest_clock_)
      writer_.Warn(
          {"low_clock", fmt::format("ran at {:.0f} MHz, but this run has reached {:.0f} MHz: compare cycles, not times",
                                    clock, highest_clock_)},
          job.Name(), job.stored);
  }
  const auto open = std::count_if(samples.begin(), samples.end(), [](const Sample& s) { return s.gate_open; });
  if (open > 0)
    writer_.Warn(
        {"gate_open", fmt::format("in {} of {} samples, the timer's gate opened before the launch was enqueued, so "
                                  "their times may include waiting for the host: launch without waiting for the device",
                                  open, samples.size())},
        job.Name(), job.stored);
}

}  // namespace culprit
