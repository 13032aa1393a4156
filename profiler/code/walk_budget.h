// SPDX-License-Identifier: Apache-2.0
// One limit for all walks through the code of a function. Each instruction may need a walk through the whole code. In
// compiled code most walks are short, but a hostile file could make the total quadratic.
#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "profiler/code/flow_graph.h"

namespace culprit {

class WalkBudget {
 public:
  // The cost of comparing an instruction with sets of registers, in visits of an instruction.
  static constexpr std::int64_t kWithRegisters = 32;

  // Asks for this many more instructions. False: stop, and use what was found.
  bool Take(std::int64_t instructions = 1) {
    left_ -= instructions;
    return left_ >= 0;
  }

 private:
  std::int64_t left_ = std::int64_t{1} << 25;  // about a second
};

// Calls `visit` with each instruction from which `from` can be reached, once, those before it in its block first;
// itself too where it lies in a cycle. `visit` returns whether to go no further on that path. `each`: what it costs.
template <class Visit>
void WalkBack(const FlowGraph& graph, WalkBudget& budget, int from, Visit visit, std::int64_t each = 1) {
  const int home = graph.block_of[from];
  std::set<int> seen;
  std::vector<int> open;
  const auto walk = [&](int block, int first, int last, bool leaves) {
    for (int i = last; i >= first; --i)
      if (!budget.Take(each) || visit(i)) return;
    if (!leaves) return;
    for (const int before : graph.blocks[block].predecessors)
      if (seen.insert(before).second) open.push_back(before);
  };
  walk(home, graph.blocks[home].first, from - 1, true);
  while (!open.empty()) {
    const int b = open.back();
    open.pop_back();
    const bool again = b == home;  // what lies before `from` in it was seen at first
    walk(b, again ? from : graph.blocks[b].first, graph.blocks[b].last, !again);
  }
}

}  // namespace culprit
