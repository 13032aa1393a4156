// SPDX-License-Identifier: Apache-2.0
#include "bench/launch_readings.h"

namespace culprit {

std::vector<Reading> LaunchReadings(const Job& job, std::optional<double> overhead_us) {
  static constexpr struct {
    const char* attribute;
    const char* id;
    const char* unit;
    const char* meaning;
  } kRows[] = {{"registers", "launch_registers", "register", "registers per thread of the loaded kernel"},
               {"local_bytes", "launch_local_bytes", "byte", "local memory per thread of the loaded kernel"},
               {"static_shared_bytes", "launch_static_shared_bytes", "byte",
                "static shared memory per block of the loaded kernel"}};
  std::vector<Reading> readings;
  for (const auto& row : kRows)
    for (const StaticAttribute& a : job.launched)
      if (a.name == row.attribute)
        readings.push_back({{row.id, "launch", "", row.unit, row.meaning}, a.value, a.status});
  if (job.kernels > 0)
    readings.push_back({{"launch_kernels", "launch", "", "kernel", "kernels that one launch starts"},
                        static_cast<double>(job.kernels),
                        ReadingStatus::kOk});
  readings.push_back({{"launch_overhead_us", "launch", "", "us",
                       "time between the events around a launch that is not its kernel's: an empty kernel's, less its "
                       "counted cycles"},
                      overhead_us,
                      overhead_us ? ReadingStatus::kOk : ReadingStatus::kFailed});
  return readings;
}

}  // namespace culprit
