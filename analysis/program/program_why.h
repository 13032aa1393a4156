// SPDX-License-Identifier: Apache-2.0
// Why one run of a program takes longer on the GPU than another: parts that add up to the difference, and for those
// that lead the causes, in microseconds of the program.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/program/match.h"
#include "analysis/program/work_verdict.h"
#include "analysis/why/explain.h"
#include "db/database.h"

namespace culprit {

enum class PartOf { kLaunches, kCopies, kIdle };

// Whether two launches ran one machine code.
enum class CodeChange { kSame, kOther, kUnknown };
std::string_view ToText(CodeChange code);  // "same" | "changed" | "unknown"

// Why a call takes longer, of a pair of launches that were timed.
struct PartCauses {
  Explanation explanation;  // of one launch
  double scale = 1;         // microseconds of the program for one of a launch: its calls, and its share of the timeline
  double unexplained_us = 0;       // of ProgramPart::time_us, what the causes times `scale` leave
  std::vector<std::string> notes;  // what makes one launch a poor measure of all, sentences
};

// What a group of launches, copies of one kind, or idling did to the difference.
struct ProgramPart {
  PartOf of = PartOf::kLaunches;
  std::string name;       // for people: "softmax_kernel", "copies to the GPU", "idle"
  MatchedLaunches match;  // kLaunches; places in ProgramExplanation::base_launches, candidate_launches
  double base_calls = 0, candidate_calls = 0;
  double base_us = 0, candidate_us = 0;  // of all calls
  // By another number of calls, at the mean time per call of both; and by other times per call, for the mean number of
  // calls. They add up to DeltaUs(). What is new or gone is another number of calls, idling another time.
  double calls_us = 0, time_us = 0;
  double DeltaUs() const { return candidate_us - base_us; }

  CodeChange code = CodeChange::kUnknown;  // of one launch against one
  std::vector<std::string> changed;        // "grid 128x1x1 -> 256x1x1": what differs of the launch besides the code
  std::string left;                        // what may differ where nothing of these does: WhatIsLeft()
  std::optional<PartCauses> causes;        // of those that lead
  std::string no_causes;                   // why there are none, one sentence; empty: it does not lead
};

struct ProgramExplanation {
  ProgramSide base, candidate;
  std::vector<KernelRecord> base_launches, candidate_launches;
  // The whole is the span of the timeline, in which kernels, copies and idling share; else, where a span was not
  // measured on both sides, the sum of the times of launches and copies.
  bool of_timeline = true;
  double base_us = 0, candidate_us = 0;
  double DeltaUs() const { return candidate_us - base_us; }
  std::vector<ProgramPart> parts;  // largest first; their DeltaUs() add up to that of the whole
  WorkVerdict verdict;             // of its work: kernels, and copies where executions tell what these do
  std::vector<std::string> caveats;
};

// The parts alone. Throws culprit::Error where a launch has no time of its own to add up.
ProgramExplanation SplitProgram(RunSummary base_run, std::vector<KernelRecord> base, RunSummary candidate_run,
                                std::vector<KernelRecord> candidate);

// With causes. `base`, `candidate`: executions, at least one each, of programs (RunRecord::program).
ProgramExplanation ExplainProgram(const Database& database, std::span<const RunSummary> base,
                                  std::span<const RunSummary> candidate);

// Code, and what differs of the launches.
CodeChange CompareCode(const KernelRecord& base, const KernelRecord& candidate);
// "grid 16x1x1 -> 32x1x1", of grid, block and dynamic shared memory; LaunchChanges has the clock besides.
std::vector<std::string> GeometryChanges(const KernelRecord& base, const KernelRecord& candidate);
std::vector<std::string> LaunchChanges(const KernelRecord& base, const KernelRecord& candidate);

}  // namespace culprit
