// SPDX-License-Identifier: Apache-2.0
// Finds the runs and launches that a selector matches. Private to db/; callers translate SQLite's exceptions.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "db/database.h"

namespace culprit {

struct Candidate {
  RunId id = 0;
  std::string uuid, label, started_utc, gpu;
  bool complete = false;
  bool has_launch = false;  // of the wanted stage at the wanted shape; if one is empty, any stage or shape
};

// All runs: complete ones first, then newest first.
std::vector<Candidate> AllRuns(Connection& connection, std::string_view stage, std::string_view shape);

// Keeps the runs whose id, label or UUID prefix is `run` (Selector::run).
std::vector<Candidate> Named(std::vector<Candidate> runs, std::string_view run);
// Keeps the runs on a GPU whose name contains `gpu`; case is ignored.
std::vector<Candidate> OnGpu(std::vector<Candidate> runs, std::string_view gpu);

// "a, b and 3 more"
std::string Join(std::vector<std::string> items);

// "3 (5b0f2a91, 'nightly', 2026-11-21T00:25:46Z)"
std::string Describe(const Candidate& run);

// Error sentences. They also list what exists.
std::string NoSuchRun(const Connection& connection, std::string_view run, const std::vector<Candidate>& all);
std::string NoSuchGpu(const Connection& connection, std::string_view gpu, const std::vector<Candidate>& among);
std::string AmbiguousRun(std::string_view run, const std::vector<Candidate>& matching);
// `among`: the runs that match the rest of the selector.
std::string NoSuchLaunch(Connection& connection, std::string_view stage, std::string_view shape,
                         const std::vector<Candidate>& among);

}  // namespace culprit
