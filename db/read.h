// SPDX-License-Identifier: Apache-2.0
// Reads records from rows. Private to db/; callers translate SQLite's exceptions.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "db/database.h"

namespace culprit {

// The stage as `run` recorded it.
StageRecord LoadStage(Connection& connection, RunId run, std::int64_t stage);
// See KernelRecord::repeats.
std::map<std::string, std::vector<double>> LoadRepeats(Connection& connection, LaunchId launch);
std::optional<SwapLoads> LoadSwapLoads(Connection& connection, LaunchId launch);
std::vector<InterventionRecord> LoadInterventions(Connection& connection, LaunchId launch);
std::optional<ProgramRecord> LoadProgram(Connection& connection, RunId run);
std::optional<ProgramLaunch> LoadProgramLaunch(Connection& connection, LaunchId launch);
std::vector<StaticAttribute> LoadAttributes(Connection& connection, std::int64_t build);
// 0: no such launch.
RunId RunOf(Connection& connection, LaunchId launch);
RunSummary LoadRun(Connection& connection, RunId run);
std::vector<MachineFigure> LoadMachine(Connection& connection, RunId run);

// The warnings of a run in stored order.
class WarningsOf {
 public:
  WarningsOf() = default;
  WarningsOf(Connection& connection, RunId run);
  const std::vector<Warning>& All() const { return all_; }
  // Warnings of this launch and of the run as a whole.
  std::vector<Warning> Of(LaunchId launch) const;

 private:
  std::vector<Warning> all_;
  std::map<std::optional<LaunchId>, std::vector<std::size_t>> places_;  // by launch; none: the whole run
};

}  // namespace culprit
