// SPDX-License-Identifier: Apache-2.0
// What the samples of a launch cost, instruction by instruction: where warps waited, and for what they waited.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/code.h"
#include "profiler/sass/instruction.h"

namespace culprit {

// Microseconds of the kernel's time: each sample stands for the same share of it, so that both kinds add up, over all
// instructions, to the time of the samples that have an instruction.
struct InstructionCost {
  std::map<std::string, double> waiting_us;  // at this instruction, by reason
  // For what this instruction does, at whatever instruction warps waited for it, by the reason that they had there. A
  // sample that waits for nothing but its turn (selected, not_selected, ...) is blamed on the instruction itself.
  std::map<std::string, double> blamed_us;
};

struct FunctionCosts {
  MachineCode code;
  std::vector<SassInstruction> decoded;  // of each instruction of `code`
  std::vector<InstructionCost> costs;    // of each instruction of `code`
};

struct KernelCosts {
  double time_us = 0;
  std::int64_t samples = 0;
  double unknown_us = 0;  // of samples whose instruction is not known: the rest of time_us
  std::vector<FunctionCosts> functions;
};

KernelCosts CostsOf(double time_us, const SamplingRecord& sampling);

}  // namespace culprit
