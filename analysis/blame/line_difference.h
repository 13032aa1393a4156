// SPDX-License-Identifier: Apache-2.0
// The difference of two kernels, line by line, in microseconds that add up to the difference of their times.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/blame/costs.h"
#include "analysis/kernel/operation.h"
#include "db/code.h"

namespace culprit {

// What stands together in the difference: a line of the reader's own source; where no line is known, the instructions
// of one operation in one loop.
struct CodePlace {
  SourceFrame frame;  // line 0: not known
  std::string part;   // then "global load in loop 2 of gather_rows"; else empty
  bool operator==(const CodePlace&) const = default;
};

using CostByKind = std::map<std::pair<Operation, std::string>, double>;

// Times are what warps waited for because of the line's instructions (InstructionCost::blamed_us).
struct DifferentLine {
  std::optional<CodePlace> base, candidate;  // none: it is only in the other
  double base_us = 0, candidate_us = 0;
  double base_waiting_us = 0, candidate_waiting_us = 0;  // at the line's own instructions
  CostByKind base_for, candidate_for;                    // of base_us and candidate_us
  // Candidate - base, by what the instruction does and the reason that warps had: for what they waited, and at what.
  CostByKind blamed_for, waiting_at;
  int base_instructions = 0, candidate_instructions = 0;
  int base_depth = 0, candidate_depth = 0;  // loops around the most of them
  LaneCounts base_lanes = {}, candidate_lanes = {};
  double moved_us = 0;  // of the difference what counters say and samples do not (why/)
  // What samples alone say, of each kernel by itself: the line's time in `culprit show --lines`.
  double base_sampled_us = 0, candidate_sampled_us = 0;
  double error_us = 0;  // standard error of the difference, by the number of samples behind both

  double DeltaUs() const { return candidate_us - base_us; }
};

struct LineDifferences {
  std::vector<DifferentLine> lines;  // the largest difference first, whichever its sign
  // Of samples whose instruction is not known.
  double base_unknown_us = 0, candidate_unknown_us = 0;
  // By what is no line's (fewer resident warps, ...), where counters say so (why/).
  std::map<std::string, double, std::less<>> on_no_line = {};
  bool same_code = false;  // the machine code of both is the same

  // Of all lines, of what is no line's and of what is not known: the difference of the times.
  double DeltaUs() const;
};

// Whether two differences with these standard errors are equal, as far as samples tell.
bool AreTied(double a_us, double a_error_us, double b_us, double b_error_us);

// `same_source`: both were compiled from the same files (PairLines).
LineDifferences CompareLines(const KernelCosts& base, const KernelCosts& candidate, bool same_source);

}  // namespace culprit
