// SPDX-License-Identifier: Apache-2.0
// Explains why one run of a program takes longer on the GPU than another. It divides the difference into parts, in
// microseconds of the program, and gives causes of the largest parts.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/judge/program/match.h"
#include "analysis/judge/program/work_verdict.h"
#include "analysis/judge/why/explain.h"
#include "db/database.h"

namespace culprit {

enum class PartOf { kLaunches, kCopies, kIdle };

// Whether two launches ran the same machine code.
enum class CodeChange { kSame, kOther, kUnknown };
std::string_view ToText(CodeChange code);  // "same" | "changed" | "unknown"

// Why a call takes longer, for two launches that were timed.
struct PartCauses {
  Explanation explanation;  // of one launch
  double scale = 1;  // microseconds of the program per microsecond of the launch: its calls, and its timeline share
  double unexplained_us = 0;       // ProgramPart::time_us minus the causes times `scale`
  std::vector<std::string> notes;  // sentences: why one launch may not represent all its calls
};

// The part of the difference from a group of launches, copies of one kind, or idle time.
struct ProgramPart {
  PartOf of = PartOf::kLaunches;
  std::string name;       // for people: "softmax_kernel", "copies to the GPU", "idle"
  MatchedLaunches match;  // if kLaunches: indices in ProgramExplanation::base_launches and candidate_launches
  double base_calls = 0, candidate_calls = 0;
  double base_us = 0, candidate_us = 0;  // time of all calls
  // calls_us: the effect of more or fewer calls, at the mean time per call. time_us: the effect of longer or shorter
  // calls, at the mean number of calls. They add up to DeltaUs(). A new or gone kernel has only calls_us, and idle time
  // has only time_us.
  double calls_us = 0, time_us = 0;
  double DeltaUs() const { return candidate_us - base_us; }

  CodeChange code = CodeChange::kUnknown;  // known if one launch is compared with one
  std::vector<std::string> changed;        // differences of the launch besides the code: "grid 128x1x1 -> 256x1x1"
  std::string left;                        // if neither code nor launch differs: WhatIsLeft()
  std::optional<PartCauses> causes;        // only for the largest parts
  std::string no_causes;                   // for launches without causes: why, one sentence
};

struct ProgramExplanation {
  ProgramSide base, candidate;
  std::vector<KernelRecord> base_launches, candidate_launches;
  // true: the times below are the span of the timeline, divided among kernels, copies and idle time. false: a span was
  // not measured, and they are the sum of the times of launches and copies.
  bool of_timeline = true;
  double base_us = 0, candidate_us = 0;
  double DeltaUs() const { return candidate_us - base_us; }
  std::vector<ProgramPart> parts;  // largest first; their DeltaUs() add up to the DeltaUs() above
  WorkVerdict verdict;             // on kernels, and on copies if there are enough executions to judge them
  std::vector<std::string> caveats;
};

// The parts alone. Throws culprit::Error where a launch has no time of its own to add up.
ProgramExplanation SplitProgram(ProgramSide base, std::vector<KernelRecord> base_launches, ProgramSide candidate,
                                std::vector<KernelRecord> candidate_launches);

// The parts with their causes. `base`, `candidate`: executions of programs (RunRecord::program), at least one each.
ProgramExplanation ExplainProgram(const Database& database, std::span<const RunSummary> base,
                                  std::span<const RunSummary> candidate);

// The parts whose causes ExplainProgram looks for: launches whose calls took another time, the largest change first.
std::vector<const ProgramPart*> LeadingParts(const ProgramExplanation& e);

CodeChange CompareCode(const KernelRecord& base, const KernelRecord& candidate);
// Changes of grid, block and dynamic shared memory: "grid 16x1x1 -> 32x1x1". LaunchChanges adds that of the clock.
std::vector<std::string> GeometryChanges(const KernelRecord& base, const KernelRecord& candidate);
std::vector<std::string> LaunchChanges(const KernelRecord& base, const KernelRecord& candidate);

// What may differ if code and launch are the same: "its inputs or what ran beside it differ; ...". Leaves the clock out
// if both were counted at the same clock.
std::string WhatIsLeft(const KernelRecord& base, const KernelRecord& candidate);

}  // namespace culprit
