// SPDX-License-Identifier: Apache-2.0
// Turns the samples of a launch into a cost of each instruction: where warps waited, and what they waited for.
// docs/lines.md explains these microseconds and says which are exact and which are estimated.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/judge/blame/lane_counts.h"
#include "analysis/launch/stall_stack.h"
#include "db/code.h"
#include "db/records.h"
#include "profiler/code/flow_graph.h"
#include "profiler/code/instruction.h"
#include "profiler/code/trips.h"

namespace culprit {

// In microseconds of the kernel's time. Each sample stands for the same share of that time. Over all instructions,
// waiting_us and blamed_us each sum to the time of the samples that have an instruction.
struct InstructionCost {
  std::map<std::string, double> waiting_us = {};  // at this instruction, by reason
  // The time that warps waited for this instruction, wherever they waited, by the reason there. A sample that waits for
  // nothing (selected, ...) is blamed on its own instruction.
  std::map<std::string, double> blamed_us = {};
  // For a barrier: the time that warps waited in it. Samples of such warps lie at the barrier or just after it.
  double met_us = 0;

  double Waiting() const;
  double Blamed() const;
};

struct FunctionCosts {
  MachineCode code;
  std::vector<SassInstruction> decoded;        // one for each instruction of `code`
  std::vector<InstructionCost> costs;          // likewise
  std::vector<std::optional<double>> sectors;  // likewise: sectors of global and local memory; none: not counted
  FlowGraph graph;                             // of `decoded`
  std::vector<BlockTrips> trips;               // one for each block of `graph`
  std::vector<LaneCounts> lanes = {};          // one for each instruction of `code`

  // How often warps executed an instruction; none: not counted.
  std::optional<double> Executions(int instruction) const;
};

struct KernelCosts {
  double time_us = 0;
  std::int64_t samples = 0;
  double unknown_us = 0;  // the part of time_us whose samples have no known instruction
  std::vector<FunctionCosts> functions = {};
};

// `counted`: exact counts of the launch's instructions, if any. Their "sass_inst" makes shared blame more accurate.
KernelCosts CostsOf(double time_us, const SamplingRecord& sampling, std::span<const InstructionRecord> counted = {});

// Splits the states of the counters into finer states that only samples tell apart (profiler/code/asynchronous.h).
StateParts PartsOf(const KernelCosts& kernel);

// How long an instruction keeps the queue or pipe busy that it goes through, in cycles of its unit for each execution by
// a warp; only ratios matter. `counted`: exact counts of this instruction,
// null where there are none.
//   shared memory    its wavefronts as counted; else one for each 4 bytes of a thread, as without conflicts
//   global, local    one for each 4 bytes of a thread, and one for each sector more than it would need
//   special functions and conversions   2: an SM computes 16 of them a cycle (CUDA C++ Programming Guide, "Arithmetic
//                    Instructions")
//   all others       1
double PassesOf(const SassInstruction& instruction, const InstructionRecord* counted);

// Samples of one instruction, by reason.
using ReasonSamples = std::map<std::string, double>;

// The same for one function: the cost of each of its instructions. At a barrier, warps wait for late warps. So this
// waiting is blamed on the instructions between the previous barriers and this one, in proportion to the time that one
// warp spends on each. An instruction that only a few warps execute therefore gets more than its samples suggest.
std::vector<InstructionCost> ShareCosts(std::span<const SassInstruction> code, const FlowGraph& graph,
                                        std::span<const BlockTrips> trips, std::span<const double> passes,
                                        std::span<const ReasonSamples> samples, double us_per_sample);

}  // namespace culprit
