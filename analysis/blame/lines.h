// SPDX-License-Identifier: Apache-2.0
// Costs of instructions gathered by source line and by what they do.
#pragma once
#include <compare>
#include <map>
#include <string>
#include <vector>

#include "analysis/blame/costs.h"
#include "analysis/kernel/operation.h"

namespace culprit {

// One side of the costs or the other; over all lines each sums to the time of the samples with an instruction.
struct Cost {
  double waiting_us = 0, blamed_us = 0;  // as of InstructionCost

  Cost& operator+=(const Cost& other);
  bool IsNothing() const { return waiting_us == 0 && blamed_us == 0; }
};

struct InstructionPlace {
  int function = 0, instruction = 0;  // of KernelCosts

  auto operator<=>(const InstructionPlace&) const = default;
};

// The instructions of one line of the user's own: the first of an instruction's frames that is neither the toolkit's
// nor the system's (db/source_place.h), whether it was inlined or not.
struct CostLine {
  SourceFrame at;  // no file: no line information
  Cost cost;
  std::map<std::string, Cost> by_reason;
  std::map<Operation, Cost> by_operation;
  struct Chain {
    std::vector<SourceFrame> frames;  // as of MachineInstruction
    Cost cost;
  };
  // Of different frames, the most blamed first; one of a single frame too.
  std::vector<Chain> chains;
  // With a cost, the most blamed first.
  std::vector<InstructionPlace> instructions;
  LaneCounts lanes = {};  // of all its instructions
};

// Lines with a cost: the most blamed first, then the most waiting, then by file and line.
std::vector<CostLine> LinesOf(const KernelCosts& costs);

// The whole kernel's.
std::map<Operation, Cost> OperationsOf(const KernelCosts& costs);
std::map<std::string, Cost> ReasonsOf(const KernelCosts& costs);

}  // namespace culprit
