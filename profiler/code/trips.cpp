// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/trips.h"

#include <algorithm>

namespace culprit {

std::vector<BlockTrips> TripsOf(const FlowGraph& graph, std::span<const std::optional<double>> counted,
                                std::span<const double> issued) {
  std::vector<BlockTrips> all;
  double counted_trips = 0, estimate_of_counted = 0;
  for (const BasicBlock& block : graph.blocks) {
    double sum = 0;
    std::optional<double> most;
    for (int i = block.first; i <= block.last; ++i) {
      sum += issued[i];
      if (counted[i]) most = std::max(most.value_or(0), *counted[i]);
    }
    const double estimate = sum / (block.last - block.first + 1);
    all.push_back({most.value_or(estimate), most.has_value()});
    if (!most) continue;
    counted_trips += *most;
    estimate_of_counted += estimate;
  }
  if (counted_trips > 0 && estimate_of_counted > 0)
    for (BlockTrips& block : all)
      if (!block.exact) block.trips *= counted_trips / estimate_of_counted;
  return all;
}

}  // namespace culprit
