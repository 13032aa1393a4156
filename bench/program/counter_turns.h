// SPDX-License-Identifier: Apache-2.0
// The records of a GPU's sampled counters, list by list (db/sampled_counters.h).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiler/trace/trace.h"

namespace culprit {

// The records of all turns of one list of counters, in the order of time.
struct CounterTurns {
  std::vector<MetricDefinition> metrics;
  std::vector<std::int64_t> start_ns, end_ns;
  std::vector<double> values;  // records x metrics, row by row
};

// By the names of the list's counters.
std::map<std::string, CounterTurns> TurnsByList(std::vector<const TracedCounters*> counters);

}  // namespace culprit
