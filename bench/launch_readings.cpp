// SPDX-License-Identifier: Apache-2.0
#include "bench/launch_readings.h"

#include "db/launch_facts.h"

namespace culprit {

std::vector<Reading> LaunchReadings(const Job& job, std::optional<double> overhead_us) {
  std::vector<Reading> readings = LaunchFacts(job.launched, job.kernels);
  readings.push_back({{"launch_overhead_us", "launch", "", "us",
                       "time between the events around a launch that is not its kernel's: an empty kernel's, less its "
                       "counted cycles"},
                      overhead_us,
                      overhead_us ? ReadingStatus::kOk : ReadingStatus::kFailed});
  return readings;
}

}  // namespace culprit
