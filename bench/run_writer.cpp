// SPDX-License-Identifier: Apache-2.0
#include "bench/run_writer.h"

#include <fmt/format.h>

#include <cstdio>

#include "db/medians.h"

namespace culprit {

RunWriter::RunWriter(const std::filesystem::path& file, const RunRecord& run)
    : database_(std::make_shared<Database>(Database::OpenForRecording(file))), run_(database_->BeginRun(run)) {}

RunWriter::RunWriter(Database& database, const RunRecord& run)
    : database_(std::shared_ptr<void>(), &database), run_(database_->BeginRun(run)) {}

void RunWriter::StoreStage(const StageRecord& stage, std::span<const BuildRecord> builds) {
  if (!database_ || stages_.contains(stage.id)) return;
  database_->StoreStage(run_, stage, builds);
  stages_.insert(stage.id);
}

StoredLaunch RunWriter::StoreLaunch(LaunchRecord launch, std::span<const Sample> samples) {
  if (!database_) return std::nullopt;
  int& launches = launches_[{launch.stage, launch.shape}];
  launch.ordinal = launches;
  const LaunchId id = database_->StoreLaunch(run_, launch, samples);
  ++launches;
  return id;
}

StoredLaunch RunWriter::StoreAgain(LaunchRecord launch, std::span<const Sample> samples) {
  if (!database_) return std::nullopt;
  launch.ordinal = launches_.at({launch.stage, launch.shape}) - 1;
  return database_->StoreLaunch(run_, launch, samples);
}

void RunWriter::StoreProgram(const ProgramRecord& program) {
  if (database_) database_->StoreProgram(run_, program);
}

void RunWriter::StoreProgramLaunch(StoredLaunch launch, const ProgramLaunch& program) {
  if (launch) database_->StoreProgramLaunch(*launch, program);
}

void RunWriter::StoreReadings(StoredLaunch launch, std::span<const Reading> readings) {
  if (launch) database_->StoreReadings(*launch, readings);
}

void RunWriter::StoreRepetitions(StoredLaunch launch, std::span<const std::vector<Reading>> repetitions) {
  if (!launch || repetitions.empty()) return;
  database_->StoreReadings(*launch, Medians(repetitions));
  if (repetitions.size() > 1) database_->StoreRepeats(*launch, repetitions);
}

void RunWriter::StoreInstructions(StoredLaunch launch, std::span<const InstructionRecord> instructions) {
  if (launch) database_->StoreInstructions(*launch, instructions);
}

void RunWriter::StoreSampling(StoredLaunch launch, const SamplingRecord& sampling) {
  if (launch) database_->StoreSampling(*launch, sampling);
}

void RunWriter::StoreMachine(std::span<const MachineFigure> figures) {
  machine_.insert(machine_.end(), figures.begin(), figures.end());
  if (database_) database_->StoreMachine(run_, machine_);
}

bool RunWriter::StoreKnownMachine() {
  if (!database_) return false;
  const std::vector<MachineFigure> known = database_->FindMachine(run_);
  if (!known.empty()) StoreMachine(known);
  return !known.empty();
}

void RunWriter::StoreTimeline(TimelineRecord timeline, std::span<const StoredLaunch> launches) {
  if (!database_) return;
  for (TimelineLaunch& launch : timeline.launches)
    launch.launch = launches[static_cast<std::size_t>(launch.launch)].value();
  database_->StoreTimeline(run_, timeline);
}

void RunWriter::StoreProfiles(StoredLaunch launch, std::span<const PhaseProfile> profiles) {
  if (launch) database_->StoreProfiles(*launch, profiles);
}

void RunWriter::StoreInterventions(StoredLaunch launch, std::span<const InterventionRecord> interventions) {
  if (launch) database_->StoreInterventions(*launch, interventions);
}

void RunWriter::StoreVersions(std::span<const LibraryVersion> versions) {
  if (database_) database_->StoreVersions(run_, versions);
}

void RunWriter::StoreWarning(const Warning& warning, StoredLaunch launch) {
  if (database_ && warned_.emplace(launch, warning.code, warning.text).second)
    database_->StoreWarning(run_, launch, warning);
}

void RunWriter::Warn(const Warning& warning, std::string_view about, StoredLaunch launch) {
  const std::string said = fmt::format("{}{}{}", about, about.empty() ? "" : ": ", warning.text);
  if (printed_.insert(said).second) std::fprintf(stderr, "culprit: warning: %s\n", said.c_str());
  StoreWarning(warning, launch);
}

void RunWriter::Finish(const std::string& finished_utc) {
  if (database_) database_->FinishRun(run_, finished_utc);
}

}  // namespace culprit
