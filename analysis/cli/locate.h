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

// `word`: as in stage_name.h, STAGE or STAGE@RUN, where the run comes before the selector's. Throws culprit::Error with
// what is there instead when nothing matches.
std::variant<KernelRecord, StaticStage> FindStage(const Database& database, const std::string& word,
                                                  const Selector& given);

// As FindStage, for commands that need times.
KernelRecord FindMeasured(const Database& database, const std::string& word, const Selector& selector);

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
// --shape of a command that compares: one for both, or "BASE,CAND". Empty: none is named.
struct ShapePair {
  std::string base, candidate;
};
ShapePair ParseShapes(const std::string& shape);

// The candidate comes from the base's run unless the words say otherwise. Where no shape is named, of benchmarks the
// base's, else the largest that both have; of kernels of programs each side's own launch with most time.
KernelPair FindPair(const Database& database, const PairWords& words, const Selector& selector);

// The run that `selector` names; by default the newest complete run with launches, else the newest run of any kind.
RunSummary PickRun(const Database& database, const Selector& selector);

}  // namespace culprit
