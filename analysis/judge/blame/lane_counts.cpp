// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/blame/lane_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "analysis/launch/instruction_counts.h"

namespace culprit {

LaneCounts& LaneCounts::operator+=(const LaneCounts& other) {
  executions += other.executions;
  there += other.there;
  on += other.on;
  return *this;
}

std::string LanesText(const LaneCounts& lanes) {
  constexpr double kWorthSaying = 0.05;  // Fewer lanes would print as 0.0.
  std::vector<std::string> off;
  if (const double elsewhere = LaneCounts::kWarp - lanes.There(); elsewhere >= kWorthSaying)
    off.push_back(fmt::format("{:.1f} not there (divergence)", elsewhere));
  if (const double switched_off = lanes.There() - lanes.On(); switched_off >= kWorthSaying)
    off.push_back(fmt::format("{:.1f} predicated off", switched_off));
  return fmt::format("{:.1f} of 32 lanes on{}{}", lanes.On(), off.empty() ? "" : ": ", fmt::join(off, ", "));
}

std::vector<LaneCounts> LaneCountsOf(std::span<const SassInstruction> code, const FlowGraph& graph,
                                     std::span<const BlockTrips> trips,
                                     std::span<const InstructionRecord* const> counted) {
  std::vector<LaneCounts> all(code.size());
  const auto on = [&](const InstructionRecord* of) { return Counted(of, "sass_thread_inst_on"); };
  if (std::ranges::none_of(counted, [&](const InstructionRecord* of) { return on(of).has_value(); })) return all;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].flow != SassFlow::kNext) continue;
    const auto executed = Counted(counted[i], "sass_inst"), there = Counted(counted[i], "sass_thread_inst");
    const BlockTrips& block = trips[static_cast<std::size_t>(graph.block_of[i])];
    if (executed && there && on(counted[i]))
      all[i] = {*executed, *there, *on(counted[i])};
    else if (block.exact)
      all[i] = {block.trips, LaneCounts::kWarp * block.trips, LaneCounts::kWarp * block.trips};
  }
  return all;
}

}  // namespace culprit
