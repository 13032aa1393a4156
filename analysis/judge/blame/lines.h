// SPDX-License-Identifier: Apache-2.0
// Sums costs of instructions by source line and by operation.
#pragma once
#include <compare>
#include <map>
#include <string>
#include <vector>

#include "analysis/judge/blame/costs.h"
#include "profiler/code/operation.h"

namespace culprit {

// Over all lines, waiting_us and blamed_us each sum to the time of the samples that have an instruction.
struct Cost {
  double waiting_us = 0, blamed_us = 0;  // see InstructionCost

  Cost& operator+=(const Cost& other);
  bool IsNothing() const { return waiting_us == 0 && blamed_us == 0; }
};

struct InstructionPlace {
  int function = 0, instruction = 0;  // indices in KernelCosts

  auto operator<=>(const InstructionPlace&) const = default;
};

// The instructions of one line of the user's code. An instruction belongs to its first frame outside the toolkit and
// the system (db/source_place.h).
struct CostLine {
  SourceFrame at;  // no file: no line information
  Cost cost;
  std::map<std::string, Cost> by_reason;
  std::map<Operation, Cost> by_operation;
  struct Chain {
    std::vector<SourceFrame> frames;  // see MachineInstruction
    Cost cost;
  };
  // Every call chain that leads here, at least one. The most blamed comes first.
  std::vector<Chain> chains;
  // Instructions with a cost, most blamed first.
  std::vector<InstructionPlace> instructions;
  LaneCounts lanes = {};  // summed over its instructions
};

// Lines with a cost. The most blamed come first; equal ones are sorted by waiting, then by file and line.
std::vector<CostLine> LinesOf(const KernelCosts& costs);

// Sums over the whole kernel.
std::map<Operation, Cost> OperationsOf(const KernelCosts& costs);
std::map<std::string, Cost> ReasonsOf(const KernelCosts& costs);

}  // namespace culprit
