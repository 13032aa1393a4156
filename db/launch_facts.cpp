// SPDX-License-Identifier: Apache-2.0
#include "db/launch_facts.h"

namespace culprit {

std::vector<Reading> LaunchFacts(std::span<const StaticAttribute> attributes, std::size_t kernels) {
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
    for (const StaticAttribute& a : attributes)
      if (a.name == row.attribute)
        readings.push_back({{row.id, "launch", "", row.unit, row.meaning}, a.value, a.status});
  if (kernels > 0)
    readings.push_back({{"launch_kernels", "launch", "", "kernel", "kernels that one launch starts"},
                        static_cast<double>(kernels),
                        ReadingStatus::kOk});
  return readings;
}

}  // namespace culprit
