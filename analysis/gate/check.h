// SPDX-License-Identifier: Apache-2.0
// Compares two runs launch by launch. Finds the launches that became slower, and those that could not be judged.
//
// If the base run timed and verified a launch but the candidate run did not, the launch is "not judged" and never
// passes. A launch that only the candidate run has is listed and not compared. Launches of two programs are matched
// (analysis/judge/program/match.h). New, gone, split and fused launches are listed. They count in the work of the whole
// program, which has the same limit.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/gate/run_noise.h"
#include "analysis/judge/program/work_verdict.h"
#include "analysis/judge/why/explain.h"
#include "analysis/number/measured.h"
#include "db/database.h"

namespace culprit {

enum class Judgement {
  // The verdict is slower, and the time rose beyond the limit. If code and launch are equal, the cycles rose, too.
  // Several processes per side show it, among all launches (evidence.h).
  kRegression,
  // As a regression, but one process per side shows it, or it may be chance among so many launches.
  kSuspect,
  kWithinLimit,  // slower within the limit; or ambiguous, with an interval that ends below the limit
  kSame,         // or slower by no more than the noise between two runs, if each is one process
  kImprovement,  // the verdict is faster
  // Both were timed, but the times do not decide. More of them may:
  //   - The verdict is ambiguous, and a slow-down beyond the limit is possible.
  //   - Code and launch are equal, and the cycles do not confirm a slow-down.
  kInconclusive,
  // The base run has a good launch, and one of these is true:
  //   - The candidate's launch is missing, failed, refused, not timed or not verified.
  //   - A time in either run is not a positive, finite number (unless it is a regression or suspect anyway).
  // Also: any launch that failed or was wrong in the candidate run.
  kNotJudged,
  // There is no base to compare with: the launch is new in the candidate run, or it failed, or was wrong, refused or
  // not timed in the base run.
  kNotCompared,
};
bool Passes(Judgement judgement);              // not kRegression, kSuspect, kInconclusive or kNotJudged
std::string_view ToText(Judgement judgement);  // "regression" | "within limit" | "same" | "improvement" | ...

struct CheckedLaunch {
  std::string stage, shape;
  Judgement judgement = Judgement::kNotJudged;
  std::string why;                         // one sentence
  Measured base_us, candidate_us;          // medians
  std::optional<Explanation> explanation;  // when both runs timed it
  // Whether the digests of the kernel's code are equal; none when one is not known.
  std::optional<bool> same_code;
  // Code, grid, block and dynamic shared memory are equal, so a difference comes from noise, clock or machine.
  bool same_program = false;
  // If it passes although its intervals of time and cycles allow a slow-down beyond the limit: the largest one.
  std::optional<double> not_excluded;
  std::vector<std::string> remarks;  // sentences that qualify the judgement
  // The source of its kernel, from the candidate if known there, else from the base. Empty: not known.
  std::string source_file = {};
  int source_line = 0;
  double calls = 1;  // calls in a program's candidate run; the change makes each call slower or faster
  // Of programs, where no launch of one run is held against one of the other (new, gone, split, fused): the time of all
  // calls in the candidate minus that in the base.
  std::optional<double> added_us = {};

  // Candidate / base, with the verdict's interval. None without a verdict.
  std::optional<Shift> Change() const;
  // Extra microseconds of the candidate over all calls. None unless both were timed, or `added_us` is known.
  std::optional<double> CostUs() const;
};

// The work of a program as a whole. It is judged because small slow-downs that pass in every launch may add up, and
// because a new kernel has no counterpart.
struct CheckedWork {
  WorkVerdict verdict;
  Judgement judgement = Judgement::kNotJudged;
  std::string why;                     // one sentence
  double new_us = 0, gone_us = 0;      // time of kernels that only the candidate or only the base has
  std::optional<double> not_excluded;  // see CheckedLaunch
  bool by_copies = false;              // inconclusive, only because copies need more executions
};
// Applies the limit to a verdict. Used by check, and by reports that say what check would decide.
CheckedWork JudgeByLimit(const WorkVerdict& verdict, double max_slowdown);

// The exit status of `culprit check` and `culprit versus`. kNotJudged: something is missing or wrong, which no further
// times can mend. kInconclusive: more times may decide.
enum class CheckStatus { kFine = 0, kRegression = 1, kNotJudged = 2, kInconclusive = 3 };
std::string_view ToText(CheckStatus status);  // "fine" | "regression" | "not judged" | "inconclusive"

struct GateOptions {
  bool strict = false;     // inconclusive, too, if a slow-down beyond the limit is not excluded
  bool other_gpu = false;  // also compare runs on two GPUs
  MeasuredRunNoise noise = {};
};

struct Check {
  double max_slowdown = 0;  // 0.02: two percent
  RunSummary base, candidate;
  std::string not_comparable;  // why the runs cannot be compared, one sentence; empty: they can
  // Regressions first, then suspects, what was not judged, what is inconclusive (if strict also what is not excluded),
  // what was not compared or is faster, within the limit, the same. Of each, the largest cost or gain first.
  std::vector<CheckedLaunch> launches;
  std::vector<std::string> caveats;  // differences between the runs other than the code
  std::optional<CheckedWork> work;   // for programs, if all launches are compared and a timeline is known
  bool different_programs = false;   // the user asked for it: the work is judged even if no launch has a counterpart
  bool strict = false;               // GateOptions::strict

  int Count(Judgement judgement) const;
  int Compared() const;  // number of launches
  // kRegression before kNotJudged before kInconclusive. kNotJudged if there is no launch to compare.
  CheckStatus Status() const;
  // Launches, or the work, that pass although a slow-down beyond the limit is possible.
  bool HasNotExcluded() const;
};

// The default of --max-slowdown.
constexpr double kUsualLimit = 0.02;

// `base` and `candidate`: the launches to compare. `work`: for programs, if these are all launches.
Check MakeCheck(const RunSummary& base_run, std::span<const KernelRecord> base, const RunSummary& candidate_run,
                std::span<const KernelRecord> candidate, double max_slowdown, const Explainer& explain = Explain,
                const std::optional<WorkVerdict>& work = std::nullopt, const GateOptions& options = {});

}  // namespace culprit
