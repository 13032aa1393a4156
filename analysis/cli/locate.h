// SPDX-License-Identifier: Apache-2.0
// Finds the records that the words of a command line name.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

// A stage in the chosen run.
struct FoundStage {
  RunSummary run;
  StageRecord stage;
  std::optional<KernelRecord> kernel;    // none: it was never launched there
  std::vector<BuildRecord> builds = {};  // then
};

// `word`: as in stage_name.h, KERNEL or KERNEL@RUN, where the run comes before the selector's. Throws culprit::Error with
// what is there instead when nothing matches.
FoundStage FindStage(const Database& database, const std::string& word, const Selector& given);

// The same for commands that need times.
KernelRecord FindMeasured(const Database& database, const std::string& word, const Selector& selector);

// BASE and CANDIDATE of a command that compares: "v1_6", or "v1_6@h100" with its own run.
struct PairWords {
  std::string base, candidate;
  std::string base_run = {}, candidate_run = {};  // see Selector::run; empty: the word names no run
};
struct KernelPair {
  KernelRecord base, candidate;
};
// --shape of a command that compares: one shape for both, or "BASE,CAND". Empty: not given.
struct ShapePair {
  std::string base, candidate;
};
ShapePair ParseShapes(const std::string& shape);

// The candidate comes from the base's run unless the words name another. If no shape is given, a benchmark's candidate
// has the base's shape, or both have the largest common shape. For a program's kernel, each side has its launch with
// the most time.
KernelPair FindPair(const Database& database, const PairWords& words, const Selector& selector);

// The run that `selector` names; by default the newest complete run with launches, else the newest run of any kind.
RunSummary PickRun(const Database& database, const Selector& selector);

}  // namespace culprit
