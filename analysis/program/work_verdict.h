// SPDX-License-Identifier: Apache-2.0
// Whether a program takes longer on the GPU than another: the one verdict that `culprit why` and `culprit check` have.
//
// It is on the work: what is new counts with what it adds, what is gone with what it takes away. Idling is no work:
// most of it is a program that starts up, which differs from execution to execution by more than kernels do.
//
// Kernels and copies are judged together where there are enough executions of each side to tell what copies do by
// themselves. Recordings of one program differ by up to 20 % in them, and by 1 % in kernels, so with fewer executions
// the verdict is on kernels alone.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program/work.h"
#include "analysis/verdict/verdict.h"
#include "db/database.h"

namespace culprit {

// The runs that stand for one side: several executions of one program where their label names several.
struct ProgramSide {
  // The one that is explained: of several that with the median work, of those with counters where some have none.
  RunSummary run;
  int runs = 1;                                        // complete ones with a span; 1 where there is none
  std::optional<double> least_us, median_us, most_us;  // of their spans
  // Of each, ascending; empty: of some it was not measured.
  std::vector<double> work_us, kernels_us;
};

// Of executions, at least one: which one is explained.
ProgramSide MakeSide(std::span<const RunSummary> runs);

struct WorkVerdict {
  // Slower or faster: the interval of `change` excludes 0. Same: it does not, and no large difference can hide in it,
  // as for a kernel (verdict.h). Ambiguous: one can.
  Speed speed = Speed::kAmbiguous;
  bool kernels_alone = true;  // what is judged
  Work base, candidate;       // of the executions that are explained
  // Of what is judged, with an interval that holds the scatter of executions and the noise: of 5 or more a side at
  // kVerdictConfidence; of fewer from the least of one side to the most of the other.
  std::optional<Shift> change;
  std::string not_measured;                               // why there is no change, one sentence; empty: there is
  double noise = 0;                                       // of recording again, and of the GPU's clock; a share
  std::optional<double> base_span_us, candidate_span_us;  // with idling; none: not measured
  int base_runs = 1, candidate_runs = 1;                  // executions whose work is known

  double DeltaUs() const { return candidate.Us() - base.Us(); }
  double CopiesDeltaUs() const { return candidate.CopiesUs() - base.CopiesUs(); }
  // Of what is judged.
  double JudgedBaseUs() const { return kernels_alone ? base.kernels_us : base.Us(); }
  double JudgedCandidateUs() const { return kernels_alone ? candidate.kernels_us : candidate.Us(); }
  double JudgedDeltaUs() const { return JudgedCandidateUs() - JudgedBaseUs(); }
};

// The launches are those of the executions that are explained, all of them.
WorkVerdict JudgeWork(const ProgramSide& base, std::span<const KernelRecord> base_launches,
                      const ProgramSide& candidate, std::span<const KernelRecord> candidate_launches);

// What is judged: "kernels and copies", or "kernels".
std::string_view JudgedWords(const WorkVerdict& verdict);
// The largest of the times that the three texts below have, and which gives all of them their unit.
double LargestUs(const WorkVerdict& verdict);
// "take 13.34 ms (4.1 %) longer"; "take about as long as before: +1.2 us (+0.0 %)"; "may or may not take longer: ...".
std::string WorkText(const WorkVerdict& verdict);
// "copies to the GPU +5,733.7 us": the kind that moved most the way that all copies did. Empty: copies are judged, or
// moved by less than the noise of the work.
std::string CopiesText(const WorkVerdict& verdict);
// "the span on the GPU is 686.9 ms (20.3 %) shorter (idle time fell by 700.3 ms)"; empty: not measured.
std::string SpanText(const WorkVerdict& verdict);

}  // namespace culprit
