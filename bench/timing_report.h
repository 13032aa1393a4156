// SPDX-License-Identifier: Apache-2.0
// What a process that times for another one says of each launch: one line of JSON on a pipe of its own, as soon as the
// launch is timed, so that a process which is lost later loses no more than what it was at.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

struct TimingReport {
  std::string name;     // Job::Name
  LaunchRecord record;  // what CUDA and the verification say of it, and what became of it
  std::vector<StaticAttribute> launched;
  std::size_t kernels = 0;
  std::vector<Sample> samples;
};

// Without the line's end.
std::string ToJsonLine(const TimingReport& report);

// Those of whole lines, in order. Lines that are no report are left out: the process died on the way.
std::vector<TimingReport> ParseTimingReports(std::string_view lines);

}  // namespace culprit
