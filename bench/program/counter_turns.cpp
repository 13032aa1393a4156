// SPDX-License-Identifier: Apache-2.0
#include "bench/program/counter_turns.h"

#include <algorithm>

namespace culprit {

std::map<std::string, CounterTurns> TurnsByList(std::vector<const TracedCounters*> counters) {
  std::ranges::stable_sort(counters, {},
                           [](const TracedCounters* c) { return c->start_ns.empty() ? 0 : c->start_ns.front(); });
  std::map<std::string, CounterTurns> lists;
  for (const TracedCounters* part : counters) {
    if (part->metrics.empty()) continue;
    std::string names;
    for (const MetricDefinition& metric : part->metrics) names += metric.cupti_name + ' ';
    CounterTurns& turns = lists[names];
    turns.metrics = part->metrics;
    turns.start_ns.insert(turns.start_ns.end(), part->start_ns.begin(), part->start_ns.end());
    turns.end_ns.insert(turns.end_ns.end(), part->end_ns.begin(), part->end_ns.end());
    turns.values.insert(turns.values.end(), part->values.begin(), part->values.end());
  }
  return lists;
}

}  // namespace culprit
