// SPDX-License-Identifier: Apache-2.0
#include "profiler/static_table.h"

#include <algorithm>

namespace culprit {

std::vector<BuildRecord> StaticTable(std::string_view kernel) {
  std::vector<BuildRecord> builds = StaticTable();
  std::erase_if(builds, [&](const BuildRecord& build) { return build.kernel != kernel; });
  return builds;
}

}  // namespace culprit
