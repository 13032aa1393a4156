// SPDX-License-Identifier: Apache-2.0
// The database for recorders: one open run and its launches. All recorders write through it: our benchmarks, `culprit
// record`, and readers of other tools' reports.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/database.h"
#include "db/timeline.h"

namespace culprit {

// A launch in the database; none: no database, or not stored.
using StoredLaunch = std::optional<LaunchId>;

// Each call is one transaction, so stored data survive the process if it is killed.
class RunWriter {
 public:
  // Without a database. Every call then does nothing, so that callers need no test for it.
  RunWriter() = default;
  // Begins `run` in `file`, which is created if it is missing.
  RunWriter(const std::filesystem::path& file, const RunRecord& run);
  // The database must outlive this object.
  RunWriter(Database& database, const RunRecord& run);

  // Stores each stage once. Later calls do nothing.
  void StoreStage(const StageRecord& stage, std::span<const BuildRecord> builds);
  // Every call stores a new launch, also of a stage and shape that were launched before. The writer numbers such
  // launches. The stage must have been stored.
  StoredLaunch StoreLaunch(LaunchRecord launch, std::span<const Sample> samples = {});
  // Replaces the last stored launch of this stage and shape, with more samples or as failed. Call it before anything
  // else is stored for the launch.
  StoredLaunch StoreAgain(LaunchRecord launch, std::span<const Sample> samples);
  // Replaces the stored record of the program.
  void StoreProgram(const ProgramRecord& program);
  void StoreProgramLaunch(StoredLaunch launch, const ProgramLaunch& program);
  // Call it before StoreInstructions, because readings define the metrics.
  void StoreReadings(StoredLaunch launch, std::span<const Reading> readings);
  // The values of each counted repetition; their medians are the readings.
  void StoreRepetitions(StoredLaunch launch, std::span<const std::vector<Reading>> repetitions);
  void StoreInstructions(StoredLaunch launch, std::span<const InstructionRecord> instructions);
  void StoreSampling(StoredLaunch launch, const SamplingRecord& sampling);
  // Adds figures of the run's GPU.
  void StoreMachine(std::span<const MachineFigure> figures);
  // Stores the figures of an earlier run on this GPU since the machine's last boot. False: the file has no such run.
  bool StoreKnownMachine();
  // Whether this run measured the figures itself.
  bool MeasuresMachine() const { return !machine_.empty() && machine_.front().measured_in.empty(); }
  void StoreInterventions(StoredLaunch launch, std::span<const InterventionRecord> interventions);
  // Stores the timeline of a program. Its launches are named by `launches[i]`, where i is TimelineLaunch::launch.
  void StoreTimeline(TimelineRecord timeline, std::span<const StoredLaunch> launches);
  void StoreProfiles(StoredLaunch launch, std::span<const PhaseProfile> profiles);
  // Stores the versions of libraries that the program had loaded.
  void StoreVersions(std::span<const LibraryVersion> versions);
  // Stores a warning once per launch.
  void StoreWarning(const Warning& warning, StoredLaunch launch = {});
  // Stores the warning and prints it once. `about`: its subject, if that is not the whole run.
  void Warn(const Warning& warning, std::string_view about = {}, StoredLaunch launch = {});
  // An empty `finished_utc` stands for now.
  void Finish(const std::string& finished_utc = {});

 private:
  std::shared_ptr<Database> database_;
  RunId run_ = 0;
  std::set<std::string> stages_;
  std::map<std::pair<std::string, std::string>, int> launches_;  // by stage and shape: number of launches
  std::set<std::string> printed_;
  std::set<std::tuple<StoredLaunch, std::string, std::string>> warned_;
  std::vector<MachineFigure> machine_;
};

}  // namespace culprit
