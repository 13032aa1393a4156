// SPDX-License-Identifier: Apache-2.0
// Which runs and launches a selector leaves. Private to db/; callers translate SQLite's exceptions.
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
  bool has_launch = false;  // of the stage (any when empty) at the selector's shape (any when empty)
};

// Runs in the order in which they are preferred: complete ones first, then newest first.
std::vector<Candidate> AllRuns(Connection& connection, std::string_view stage, std::string_view shape);

// Those that Selector::run names: by id, label or prefix of the UUID.
std::vector<Candidate> Named(std::vector<Candidate> runs, std::string_view run);
// Those on a GPU whose name contains `gpu`, whatever its case.
std::vector<Candidate> OnGpu(std::vector<Candidate> runs, std::string_view gpu);

// "3 (5b0f2a91, 'nightly', 2026-11-21T00:25:46Z)"
std::string Describe(const Candidate& run);

// Sentences for what cannot be had: what there is instead.
std::string NoSuchRun(const Connection& connection, std::string_view run, const std::vector<Candidate>& all);
std::string NoSuchGpu(const Connection& connection, std::string_view gpu, const std::vector<Candidate>& among);
std::string AmbiguousRun(std::string_view run, const std::vector<Candidate>& matching);
// `among`: the runs that the rest of the selector leaves.
std::string NoSuchLaunch(Connection& connection, std::string_view stage, std::string_view shape,
                         const std::vector<Candidate>& among);

}  // namespace culprit
