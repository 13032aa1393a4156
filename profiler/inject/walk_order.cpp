// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/walk_order.h"

#include <functional>
#include <queue>

namespace culprit {

std::vector<std::size_t> WalkOrder(std::size_t nodes, std::span<const GraphEdge> edges) {
  std::vector<std::vector<std::size_t>> after(nodes);
  std::vector<std::size_t> waits(nodes);  // for so many nodes
  for (const auto& [from, to] : edges) {
    after[from].push_back(to);
    ++waits[to];
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t node = 0; node < nodes; ++node)
    if (waits[node] == 0) ready.push(node);
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::size_t next : after[order.back()])
      if (--waits[next] == 0) ready.push(next);
  }
  return order;
}

}  // namespace culprit
