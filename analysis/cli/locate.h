// SPDX-License-Identifier: Apache-2.0
// From the words on a command line to what is in the database.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "analysis/report/program_report.h"
#include "db/database.h"

namespace culprit {

// A stage that the chosen run knows but never launched: recorded without a GPU.
struct StaticStage {
  RunSummary run;
  StageRecord stage;
  std::vector<BuildRecord> builds;
};

// Throws culprit::Error with what is there instead when nothing matches.
std::variant<KernelRecord, StaticStage> FindStage(const Database& database, const std::string& stage,
                                                  const Selector& selector);

// As FindStage, for commands that need times.
KernelRecord FindMeasured(const Database& database, const std::string& stage, const Selector& selector);

// All launches of a kernel in a program's run, most time first; empty where it is no program's.
std::vector<LaunchOfKernel> LaunchesOf(const Database& database, RunId run, const std::string& stage);

// BASE and CANDIDATE of a command that compares: "v1_6", or "v1_6@h100", which names a run of its own.
struct PairWords {
  std::string base, candidate;
  std::string base_run = {}, candidate_run = {};  // as Selector::run; empty: what else is said
};
struct KernelPair {
  KernelRecord base, candidate;
};
// Like with like: the candidate comes from the base's run and shape, unless the words or `selector` say otherwise.
KernelPair FindPair(const Database& database, const PairWords& words, const Selector& selector);

// The run that `selector` names; by default the newest complete run with launches, else the newest run of any kind.
RunSummary PickRun(const Database& database, const Selector& selector);

}  // namespace culprit
