// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/subroutines.h"

#include <algorithm>
#include <map>
#include <vector>

namespace culprit {
namespace {

// Blocks that are reached from `block` without going into calls.
std::vector<bool> ReachedFrom(int block, std::span<const SassInstruction> decoded, const FlowGraph& graph) {
  std::vector<bool> reached(graph.blocks.size(), false);
  std::vector<int> open = {block};
  reached[block] = true;
  while (!open.empty()) {
    const BasicBlock& from = graph.blocks[open.back()];
    open.pop_back();
    const SassInstruction& last = decoded[from.last];
    for (const int to : from.successors) {
      const bool is_call =
          last.flow == SassFlow::kCall && last.target && decoded[graph.blocks[to].first].pc_offset == *last.target;
      if (is_call || reached[to]) continue;
      reached[to] = true;
      open.push_back(to);
    }
  }
  return reached;
}

}  // namespace

void PlaceSubroutinesAtTheirCalls(std::span<const SassInstruction> decoded, const FlowGraph& graph,
                                  std::span<const BlockTrips> trips, MachineCode& code) {
  std::map<std::int64_t, int> calls;  // of each target the call that is executed most
  const auto trips_of = [&](int i) { return trips[static_cast<std::size_t>(graph.block_of[i])].trips; };
  for (int i = 0; i < static_cast<int>(decoded.size()); ++i) {
    const SassInstruction& call = decoded[i];
    if (call.flow != SassFlow::kCall || !call.target) continue;
    const auto [at, is_new] = calls.try_emplace(*call.target, i);
    if (!is_new && trips_of(i) > trips_of(at->second)) at->second = i;
  }
  // Each is looked for in all of the code.
  constexpr std::size_t kMostSubroutines = 1000;
  if (calls.empty() || calls.size() > kMostSubroutines) return;
  const std::vector<bool> outside = ReachedFrom(0, decoded, graph);
  // Of the code as it is: behind one subroutine the next may lie, with the same line.
  const std::vector<MachineInstruction> unplaced = code.instructions;
  for (const auto& [target, call] : calls) {
    const auto first = std::ranges::lower_bound(decoded, target, {}, &SassInstruction::pc_offset);
    if (first == decoded.end() || first == decoded.begin() || first->pc_offset != target) continue;
    const auto begin = static_cast<std::size_t>(first - decoded.begin());
    const std::vector<SourceFrame> before = unplaced[begin - 1].frames, at_call = unplaced[call].frames;
    const std::vector<bool> inside = ReachedFrom(graph.block_of[begin], decoded, graph);
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      const auto block = static_cast<std::size_t>(graph.block_of[i]);
      std::vector<SourceFrame>& frames = code.instructions[i].frames;
      if (inside[block] && !outside[block] && (frames.empty() || frames == before)) frames = at_call;
    }
  }
}

}  // namespace culprit
