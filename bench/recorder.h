// SPDX-License-Identifier: Apache-2.0
// What a measuring process knows of the database: a run that is open, and launches that go into it, whoever has them.
// Without a database every call does nothing, so that those who measure need not ask.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/database.h"

namespace culprit {

// A launch in the database; none where there is no database, or where it was not stored.
using StoredLaunch = std::optional<LaunchId>;

class Recorder {
 public:
  Recorder() = default;
  // Begins `run` in `file`, which is made if it is missing.
  Recorder(const std::filesystem::path& file, const RunRecord& run);

  // Once per stage: later calls do nothing.
  void StoreStage(const StageRecord& stage, std::span<const BuildRecord> builds);
  // Every call is a launch of its own, also of a stage and shape that were launched before: the recorder numbers them.
  // The stage must have been stored.
  StoredLaunch StoreLaunch(LaunchRecord launch, std::span<const Sample> samples = {});
  // The launch that was stored last of this stage and shape, anew: with more samples, or failed after all. Nothing else
  // may have been stored of it.
  StoredLaunch StoreAgain(LaunchRecord launch, std::span<const Sample> samples);
  // Readings first: they define the metrics of the other two.
  void StoreReadings(StoredLaunch launch, std::span<const Reading> readings);
  void StoreRepeats(StoredLaunch launch, std::span<const std::vector<Reading>> repetitions);
  void StoreInstructions(StoredLaunch launch, std::span<const InstructionRecord> instructions);
  void StoreSampling(StoredLaunch launch, const SamplingRecord& sampling);
  // Adds to the figures of the run's GPU.
  void StoreMachine(std::span<const MachineFigure> figures);
  // False: no earlier run in the file measured this GPU on this machine since it was started.
  bool StoreKnownMachine();
  // Whether this run measured the figures itself.
  bool MeasuresMachine() const { return !machine_.empty() && machine_.front().measured_in.empty(); }
  void StoreInterventions(StoredLaunch launch, std::span<const InterventionRecord> interventions);
  // Each warning is printed once, and stored once for each launch that it concerns. `about` names what that is, where
  // it is not the whole run.
  void Warn(const Warning& warning, std::string_view about = {}, StoredLaunch launch = {});
  void Finish();

 private:
  std::optional<Database> database_;
  RunId run_ = 0;
  std::set<std::string> stages_;
  std::map<std::pair<std::string, std::string>, int> launches_;  // by stage and shape: how many there are
  std::set<std::string> printed_;
  std::set<std::pair<StoredLaunch, std::string>> warned_;
  std::vector<MachineFigure> machine_;
};

}  // namespace culprit
