// SPDX-License-Identifier: Apache-2.0
// How many lanes of a warp an instruction works for.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/records.h"
#include "profiler/code/flow_graph.h"
#include "profiler/code/trips.h"

namespace culprit {

// Sums over all executions of one or several instructions.
struct LaneCounts {
  double executions = 0;  // by warps of 32 lanes; 0: not counted
  double there = 0;       // lanes that executed it; others took another branch, had finished, or have no thread
  double on = 0;          // lanes that executed it with a true predicate

  static constexpr double kWarp = 32;
  // Above this, the missing lanes are only those past the end of an array.
  static constexpr double kNearlyAll = 31;

  LaneCounts& operator+=(const LaneCounts& other);
  bool Known() const { return executions > 0; }
  // The averages per execution. Valid only if Known().
  double There() const { return there / executions; }
  double On() const { return on / executions; }
};

// "11.0 of 32 lanes on: 9.0 not there (divergence), 12.0 predicated off". Requires known lanes.
std::string LanesText(const LaneCounts& lanes);

// One for each instruction of a function. `counted`: the stored counts of each instruction, or null. Instructions with
// all lanes on have none (profiler/trace/kept_instructions.h). Recordings before November 2026 did not count `on`, so
// their lanes are not known. Lanes of branches are not known either, because a branch's predicate only chooses its
// direction.
std::vector<LaneCounts> LaneCountsOf(std::span<const SassInstruction> code, const FlowGraph& graph,
                                     std::span<const BlockTrips> trips,
                                     std::span<const InstructionRecord* const> counted);

}  // namespace culprit
