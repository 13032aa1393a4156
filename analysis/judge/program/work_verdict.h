// SPDX-License-Identifier: Apache-2.0
// Whether a program takes longer on the GPU than another. `culprit why` and `culprit check` share this verdict.
//
// It judges the work. A new kernel adds its time, and a kernel that is gone subtracts it. Idle time is not work: most
// of it is the start of the program, which varies more than kernels.
//
// Kernels and copies are judged together if each side has enough executions to show how copies vary. Two recordings of
// one program differ by up to 20 % in copies, and by 1 % in kernels. So with fewer executions only kernels are judged.
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/judge/difference/verdict.h"
#include "db/database.h"

namespace culprit {

// The time in which kernels or copies ran, which their shares add up to: the span without what was idle, such as the
// start of a program between its first copy and its first kernel. None where the span was not measured.
inline std::optional<double> WorkUs(const ProgramRecord& program) {
  if (!program.span_us || !program.idle_us) return std::nullopt;
  return *program.span_us - *program.idle_us;
}

// The work of one run in its two kinds.
struct Work {
  double kernels_us = 0;
  std::map<CopyKind, double> copies_us = {};

  double CopiesUs() const;
  double Us() const { return kernels_us + CopiesUs(); }
};

// Names of kinds of copies, for people.
inline constexpr std::array<std::pair<CopyKind, const char*>, 6> kCopyWords = {
    {{CopyKind::kToDevice, "copies to the GPU"},
     {CopyKind::kToHost, "copies to the host"},
     {CopyKind::kOnDevice, "copies on the GPU"},
     {CopyKind::kBetweenDevices, "copies between GPUs"},
     {CopyKind::kSet, "memory sets"},
     {CopyKind::kOther, "other copies"}}};

constexpr const char* CopyWords(CopyKind kind) {
  return std::ranges::find(kCopyWords, kind, &std::pair<CopyKind, const char*>::first)->second;
}

// Whether launches have a share of a timeline each, and the timeline a span.
bool HasTimeline(const RunSummary& run, std::span<const KernelRecord> launches);

// Of all calls of a launch: their share of the timeline, or (not `of_timeline`) the sum of their times. None: not measured.
std::optional<double> UsOf(const KernelRecord& launch, bool of_timeline);

// The sum over launches and copies of a run. None if a launch has no time.
std::optional<Work> WorkOf(const RunSummary& run, std::span<const KernelRecord> launches, bool of_timeline);

// The runs that stand for one side: several executions of one program where their label names several.
struct ProgramSide {
  // The execution to explain: the one with the median work. If some have counters, one of these.
  RunSummary run;
  int runs = 1;                                        // complete executions with a span; 1 if there is none
  std::optional<double> least_us, median_us, most_us;  // statistics of their spans
  // The time of each execution, ascending. Empty if one was not measured.
  std::vector<double> work_us, kernels_us;
};

// Makes a side from at least one execution.
ProgramSide MakeSide(std::span<const RunSummary> runs);

struct WorkVerdict {
  // As for a kernel (verdict.h). Slower or faster: the interval of `change` excludes 0. Same: it contains 0 and is too
  // narrow to hide a large difference. Ambiguous: it can hide one.
  Speed speed = Speed::kAmbiguous;
  bool kernels_alone = true;  // true: copies are not judged
  Work base, candidate;       // of the executions that are explained
  // The change of the judged work. Its interval includes the scatter of executions and the noise. With 5 or more
  // executions per side, its confidence is kVerdictConfidence. With fewer, it goes from the smallest value of one side
  // to the largest of the other.
  std::optional<Shift> change;
  std::string not_measured;                               // why `change` is missing, one sentence; else empty
  double noise = 0;                                       // a share: noise of another recording, and of the GPU's clock
  std::optional<double> base_span_us, candidate_span_us;  // including idle time; none: not measured
  int base_runs = 1, candidate_runs = 1;                  // executions whose work is known

  double DeltaUs() const { return candidate.Us() - base.Us(); }
  double CopiesDeltaUs() const { return candidate.CopiesUs() - base.CopiesUs(); }
  // Of the judged work.
  double JudgedBaseUs() const { return kernels_alone ? base.kernels_us : base.Us(); }
  double JudgedCandidateUs() const { return kernels_alone ? candidate.kernels_us : candidate.Us(); }
  double JudgedDeltaUs() const { return JudgedCandidateUs() - JudgedBaseUs(); }
};

// `base_launches`, `candidate_launches`: all launches of the executions that are explained.
WorkVerdict JudgeWork(const ProgramSide& base, std::span<const KernelRecord> base_launches,
                      const ProgramSide& candidate, std::span<const KernelRecord> candidate_launches);

// Names the judged work: "kernels and copies", or "kernels".
std::string_view JudgedWords(const WorkVerdict& verdict);
// The largest time in the three texts below. It determines their unit.
double LargestUs(const WorkVerdict& verdict);
// "take 13.34 ms (4.1 %) longer"; "take about as long as before: +1.2 us (+0.0 %)"; "may or may not take longer: ...".
std::string WorkText(const WorkVerdict& verdict);
// "copies to the GPU +5,733.7 us": among kinds of copies that changed in the direction of all copies, the one that
// changed most. Empty if copies are judged, or if they changed by less than the noise of the work.
std::string CopiesText(const WorkVerdict& verdict);
// "the span on the GPU is 686.9 ms (20.3 %) shorter (idle time fell by 700.3 ms)"; empty: not measured.
std::string SpanText(const WorkVerdict& verdict);

}  // namespace culprit
