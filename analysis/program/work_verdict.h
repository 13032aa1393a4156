// SPDX-License-Identifier: Apache-2.0
// Whether a program takes longer on the GPU than another: the one verdict that `culprit why` and `culprit check` have.
//
// It is on the work, kernels and copies together: what is new counts with what it adds, what is gone with what it takes
// away. Idling is no work: most of it is a program that starts up, which differs from execution to execution by more
// than kernels do.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/verdict/verdict.h"
#include "db/database.h"

namespace culprit {

// The runs that stand for one side: several executions of one program where their label names several.
struct ProgramSide {
  // The one that is explained: of several that with the median work, of those with counters where some have none.
  RunSummary run;
  int runs = 1;                                        // complete ones with a span; 1 where there is none
  std::optional<double> least_us, median_us, most_us;  // of their spans
  std::vector<double> work_us;                         // of each, ascending; empty: of some it was not measured
};

// Of executions, at least one: which one is explained.
ProgramSide MakeSide(std::span<const RunSummary> runs);

struct WorkVerdict {
  // Slower or faster: the interval of `change` excludes 0. Same: the change is within the noise. Ambiguous: it is not,
  // and the executions of the two sides overlap.
  Speed speed = Speed::kAmbiguous;
  double base_us = 0, candidate_us = 0;  // the work of the executions that are explained
  // With an interval that holds the scatter of executions and the noise: of 5 or more a side at kVerdictConfidence; of
  // fewer from the least of one side to the most of the other. None where one side has no work.
  std::optional<Shift> change;
  double noise = 0;                                       // of recording again, and of the GPU's clock; a share
  std::optional<double> base_span_us, candidate_span_us;  // with idling; none: not measured
  int base_runs = 1, candidate_runs = 1;                  // executions whose work is known

  double DeltaUs() const { return candidate_us - base_us; }
};

// `base_us`, `candidate_us`: the work of the executions that are explained, for who adds up its parts.
WorkVerdict JudgeWork(const ProgramSide& base, double base_us, const ProgramSide& candidate, double candidate_us);
// By the recorded timelines; none where a side was not recorded to its end, or has none.
std::optional<WorkVerdict> JudgeWork(const ProgramSide& base, const ProgramSide& candidate);

// "take 13.3 ms (4.1 %) longer"; "take about as long as before: +1.2 us (+0.0 %)"; "may or may not take longer: ...".
std::string WorkText(const WorkVerdict& verdict);
// "the span on the GPU is 687.0 ms (20.3 %) shorter (idle time fell by 700.3 ms)"; empty: not measured.
std::string SpanText(const WorkVerdict& verdict);

}  // namespace culprit
