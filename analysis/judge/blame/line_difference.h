// SPDX-License-Identifier: Apache-2.0
// The difference of two kernels, line by line, in microseconds that add up to the difference of their times.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/blame/costs.h"
#include "db/code.h"
#include "profiler/code/operation.h"

namespace culprit {

// A row of the difference. It is a line of the user's own source. Without line information, it is all instructions of
// one operation in one loop.
struct CodePlace {
  SourceFrame frame;  // line 0: not known
  std::string part;   // if the line is not known: "global load in loop 2 of gather_rows"; else empty
  bool operator==(const CodePlace&) const = default;
};

using CostByKind = std::map<std::pair<Operation, std::string>, double>;

// Times are the waiting that is blamed on the line's instructions (InstructionCost::blamed_us).
struct DifferentLine {
  std::optional<CodePlace> base, candidate;  // none: this kernel does not have the line
  double base_us = 0, candidate_us = 0;
  double base_waiting_us = 0, candidate_waiting_us = 0;  // at the line's own instructions
  CostByKind base_for, candidate_for;                    // the parts of base_us and candidate_us
  // Candidate - base by operation and stall reason, of the time that warps waited for the line, and at the line.
  CostByKind blamed_for, waiting_at;
  int base_instructions = 0, candidate_instructions = 0;
  int base_depth = 0, candidate_depth = 0;  // the loop depth of most of these instructions
  LaneCounts base_lanes = {}, candidate_lanes = {};
  double moved_us = 0;  // the part of the difference that comes from counters, not samples (why/)
  // The line's time in each kernel by samples alone, as in `culprit show --lines`.
  double base_sampled_us = 0, candidate_sampled_us = 0;
  double error_us = 0;  // standard error of the difference, from the numbers of samples

  double DeltaUs() const { return candidate_us - base_us; }
};

struct LineDifferences {
  std::vector<DifferentLine> lines;  // largest absolute difference first
  // The time of samples without a known instruction.
  double base_unknown_us = 0, candidate_unknown_us = 0;
  // The time of causes without a line (fewer resident warps, ...), from counters (why/).
  std::map<std::string, double, std::less<>> on_no_line = {};
  bool same_code = false;  // both have the same machine code

  // The difference of the kernels' times: the sum over lines, causes without a line, and unknown samples.
  double DeltaUs() const;
};

// Whether two differences are too close for samples to tell them apart, by their standard errors.
bool AreTied(double a_us, double a_error_us, double b_us, double b_error_us);

// `same_source`: both were compiled from the same files (PairLines).
LineDifferences CompareLines(const KernelCosts& base, const KernelCosts& candidate, bool same_source);

}  // namespace culprit
