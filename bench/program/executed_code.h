// SPDX-License-Identifier: Apache-2.0
// How often instructions ran, from samples of them. A sample in the state `selected` is a warp that issues the
// instruction. So these samples are proportional to executions, whatever the instruction does.
// docs/evidence/samples_as_counters.md measures how well this holds.
#pragma once
#include <optional>
#include <vector>

#include "db/code.h"
#include "profiler/code/instruction.h"

namespace culprit {

// Instructions of one function that run equally often.
struct RunTogether {
  std::vector<SassInstruction> code;
  double executions = 0;  // of each instruction, summed over warps
  bool known = false;     // each warp runs it once, and the number of warps is known
  double variance = 0;    // of ln(executions)
  double unseen = 0;      // none was seen: if it ran, then about so often
};

struct ExecutedCode {
  std::vector<RunTogether> groups;
  double inst_executed = 0;
  double at_known = 0;  // executed instructions of all groups that are `known`
  double at_known_error = 0;
  bool complete = false;  // the code has all instructions that the launch can have run

  double Shared() const { return inst_executed - at_known; }
};

// `inst_executed`: warp instructions that the sampled launches' kernels executed. `warps`: the warps that they had; if
// not known, the counts of code before and after loops are less exact. Code that each warp runs once needs no samples,
// and then its own sum replaces an uncertain `inst_executed`. `uneven`: see Unevenness(). Nullopt if samples
// do not suffice or if code is missing.
std::optional<ExecutedCode> ExecutedCodeOf(const SamplingRecord& sampling, double inst_executed,
                                           std::optional<double> warps, double uneven, double inst_executed_error = 0);

}  // namespace culprit
