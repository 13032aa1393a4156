// SPDX-License-Identifier: Apache-2.0
// What the samples of a launch cost, instruction by instruction: where warps waited, and for what they waited.
// docs/lines.md says for people what the microseconds mean, what of it is exact and what is estimated.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/blame/flow_graph.h"
#include "analysis/blame/lane_counts.h"
#include "analysis/blame/trips.h"
#include "db/code.h"
#include "db/records.h"
#include "profiler/sass/instruction.h"

namespace culprit {

// Microseconds of the kernel's time: each sample stands for the same share of it, so that both kinds add up, over all
// instructions, to the time of the samples that have an instruction.
struct InstructionCost {
  std::map<std::string, double> waiting_us = {};  // at this instruction, by reason
  // For what this instruction does, at whatever instruction warps waited for it, by the reason that they had there. A
  // sample that waits for nobody (selected, ...) is blamed on the instruction itself.
  std::map<std::string, double> blamed_us = {};
  // Of a barrier for warps: what they waited in it, whoever was late. Such a warp is seen at it, or behind it.
  double met_us = 0;

  double Waiting() const;
  double Blamed() const;
};

struct FunctionCosts {
  MachineCode code;
  std::vector<SassInstruction> decoded;        // of each instruction of `code`
  std::vector<InstructionCost> costs;          // of each instruction of `code`
  std::vector<std::optional<double>> sectors;  // of global and local memory, that each moved; none: not counted
  FlowGraph graph;                             // of `decoded`
  std::vector<BlockTrips> trips;               // of each block of `graph`
  std::vector<LaneCounts> lanes = {};          // of each instruction of `code`

  // How often warps executed an instruction; none: not counted.
  std::optional<double> Executions(int instruction) const;
};

struct KernelCosts {
  double time_us = 0;
  std::int64_t samples = 0;
  double unknown_us = 0;  // of samples whose instruction is not known: the rest of time_us
  std::vector<FunctionCosts> functions = {};
};

// `counted`: exact counts of the launch's instructions, as far as there are any; by their "sass_inst" what is shared is
// shared better.
KernelCosts CostsOf(double time_us, const SamplingRecord& sampling, std::span<const InstructionRecord> counted = {});

// Samples of one instruction, by reason.
using ReasonSamples = std::map<std::string, double>;

// The same for one function: the cost of each of its instructions. A late warp is what others wait for at a barrier, so
// that waiting goes to what was waited for between the barriers before it and this one, in proportion to the time that
// one warp spent there: what few warps do counts for more, by how much fewer they are.
std::vector<InstructionCost> ShareCosts(std::span<const SassInstruction> code, const FlowGraph& graph,
                                        std::span<const BlockTrips> trips, std::span<const double> passes,
                                        std::span<const ReasonSamples> samples, double us_per_sample);

}  // namespace culprit
