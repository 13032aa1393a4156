// SPDX-License-Identifier: Apache-2.0
// Two runs held against one another, launch by launch: did anything become slower, and what could not be judged?
//
// The base run vouches for what it launched, timed and found right; what it vouches for and the candidate run cannot
// show is not judged, never passed. What the base run has no word on is named and not compared. Of two runs of programs
// the launches that belong together (analysis/program/match.h) are held against one another; what is new, gone, split
// or fused there is named, and counts in the work of the whole program, which is judged by the same limit.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/number/measured.h"
#include "analysis/program/work_verdict.h"
#include "analysis/why/explainer.h"
#include "db/database.h"

namespace culprit {

enum class Judgement {
  // The verdict is slower, and the time rose by more than the limit; with the same code and launch the cycles too.
  kRegression,
  kWithinLimit,  // slower by no more than the limit; or ambiguous, with an interval that ends below the limit
  kSame,
  kImprovement,  // the verdict is faster
  // Of what the base run vouches for: missing, failed, refused, not timed or no longer verified in the candidate run;
  // or with times that are no positive, finite numbers in either, unless it is a regression all the same;
  // or ambiguous and possibly slower by more than the limit; or slower with the same code and launch, by a time that
  // the cycles do not confirm. Of any launch: failed or wrong in the candidate run.
  kNotJudged,
  // Nothing to hold it against: new in the candidate run; failed, wrong, refused or not timed in the base run.
  kNotCompared,
};
bool Passes(Judgement judgement);              // neither kRegression nor kNotJudged
std::string_view ToText(Judgement judgement);  // "regression" | "within limit" | "same" | "improvement" | ...

struct CheckedLaunch {
  std::string stage, shape;
  Judgement judgement = Judgement::kNotJudged;
  std::string why;                         // one sentence
  Measured base_us, candidate_us;          // medians
  std::optional<Explanation> explanation;  // of what both runs timed
  // Equal digests of the kernel's code; none where one is not known.
  std::optional<bool> same_code;
  // Code, grid, block and dynamic shared memory are equal: a difference is noise, clock or machine, and has no causes.
  bool same_program = false;
  // It passes, and the intervals of time and cycles leave open a slow-down of up to this share, beyond the limit.
  std::optional<double> not_excluded;
  std::vector<std::string> remarks;  // sentences that qualify the judgement
  // Where its kernel begins, of the candidate where it has it; empty: not known.
  std::string source_file = {};
  int source_line = 0;
  double calls = 1;  // of a program's candidate run: so often its change is paid

  // Of the candidate over the base, with the interval of the verdict. None without a verdict.
  std::optional<Shift> Change() const;
  // Microseconds that the candidate takes more, over all calls. None unless both were timed.
  std::optional<double> CostUs() const;
};

// The work of a program as a whole: what every launch passes may add up to a slow-down, and a kernel that is new has
// nothing else to be held against.
struct CheckedWork {
  WorkVerdict verdict;
  Judgement judgement = Judgement::kNotJudged;
  std::string why;                     // one sentence
  double new_us = 0, gone_us = 0;      // in kernels that one run alone has
  std::optional<double> not_excluded;  // as of a launch
  bool by_copies = false;              // not judged for copies alone, of which too few executions tell
};
// What the limit makes of a verdict, for check and for whoever says what check would.
CheckedWork JudgeByLimit(const WorkVerdict& verdict, double max_slowdown);

enum class CheckStatus { kFine = 0, kRegression = 1, kNotJudged = 2 };  // the exit status of `culprit check`
std::string_view ToText(CheckStatus status);                            // "fine" | "regression" | "not judged"

struct Check {
  double max_slowdown = 0;  // 0.02: two percent
  RunSummary base, candidate;
  std::string not_comparable;           // why the runs as a whole cannot be compared, one sentence; empty: they can
  std::vector<CheckedLaunch> launches;  // the base's in its order, then those that only the candidate has
  std::vector<std::string> caveats;     // what differs between the runs besides the code
  std::optional<CheckedWork> work;      // of programs, where all launches are compared and a timeline is known
  bool different_programs = false;      // asked for: the whole counts even where no launch has a counterpart

  int Count(Judgement judgement) const;
  int Compared() const;  // launches
  // A regression counts even when something else could not be judged. No launch to compare at all is not judged.
  CheckStatus Status() const;
};

// What is accepted where nobody says otherwise.
constexpr double kUsualLimit = 0.02;

// `base` and `candidate`: the launches of these runs that are to be compared. `work`: of programs of which these are
// all.
Check MakeCheck(const RunSummary& base_run, std::span<const KernelRecord> base, const RunSummary& candidate_run,
                std::span<const KernelRecord> candidate, double max_slowdown, const Explainer& explain = Explain,
                const std::optional<WorkVerdict>& work = std::nullopt);

}  // namespace culprit
