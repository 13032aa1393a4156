// SPDX-License-Identifier: Apache-2.0
// How many lanes of a warp an instruction works for.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/blame/flow_graph.h"
#include "analysis/blame/trips.h"
#include "db/records.h"

namespace culprit {

// Sums over the executions of one instruction or of several.
struct LaneCounts {
  double executions = 0;  // by warps, of 32 lanes each; 0: not counted
  double there = 0;       // lanes that came to it: others took another branch, were done, or fill no warp
  double on = 0;          // of these, lanes that no predicate switched off

  static constexpr double kWarp = 32;
  // Above it a few lanes at an array's end are off.
  static constexpr double kNearlyAll = 31;

  LaneCounts& operator+=(const LaneCounts& other);
  bool Known() const { return executions > 0; }
  // Of one execution, on average. Known() alone.
  double There() const { return there / executions; }
  double On() const { return on / executions; }
};

// "11.0 of 32 lanes on: 9.0 not there (divergence), 12.0 predicated off". Of lanes that are known.
std::string LanesText(const LaneCounts& lanes);

// Of each instruction of a function. `counted`: what was counted of it, null where nothing is stored, which is so of
// instructions with all lanes on (db/kept_instructions.h). Recordings before November 2026 did not count lanes that are
// on: nothing is known of them. A branch has none: its predicate says which way lanes go.
std::vector<LaneCounts> LaneCountsOf(std::span<const SassInstruction> code, const FlowGraph& graph,
                                     std::span<const BlockTrips> trips,
                                     std::span<const InstructionRecord* const> counted);

}  // namespace culprit
