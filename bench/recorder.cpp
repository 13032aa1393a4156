// SPDX-License-Identifier: Apache-2.0
#include "bench/recorder.h"

#include <fmt/format.h>

#include <cstdio>

namespace culprit {

Recorder::Recorder(const std::filesystem::path& file, const RunRecord& run)
    : database_(Database::OpenForRecording(file)), run_(database_->BeginRun(run)) {}

void Recorder::StoreStage(const StageRecord& stage, std::span<const BuildRecord> builds) {
  if (!database_ || stages_.contains(stage.id)) return;
  database_->StoreStage(run_, stage, builds);
  stages_.insert(stage.id);
}

StoredLaunch Recorder::StoreLaunch(LaunchRecord launch, std::span<const Sample> samples) {
  if (!database_) return std::nullopt;
  int& launches = launches_[{launch.stage, launch.shape}];
  launch.ordinal = launches;
  const LaunchId id = database_->StoreLaunch(run_, launch, samples);
  ++launches;
  return id;
}

StoredLaunch Recorder::StoreAgain(LaunchRecord launch, std::span<const Sample> samples) {
  if (!database_) return std::nullopt;
  launch.ordinal = launches_.at({launch.stage, launch.shape}) - 1;
  return database_->StoreLaunch(run_, launch, samples);
}

void Recorder::StoreReadings(StoredLaunch launch, std::span<const Reading> readings) {
  if (launch) database_->StoreReadings(*launch, readings);
}

void Recorder::StoreRepeats(StoredLaunch launch, std::span<const std::vector<Reading>> repetitions) {
  if (launch) database_->StoreRepeats(*launch, repetitions);
}

void Recorder::StoreInstructions(StoredLaunch launch, std::span<const InstructionRecord> instructions) {
  if (launch) database_->StoreInstructions(*launch, instructions);
}

void Recorder::StoreSampling(StoredLaunch launch, const SamplingRecord& sampling) {
  if (launch) database_->StoreSampling(*launch, sampling);
}

void Recorder::StoreMachine(std::span<const MachineFigure> figures) {
  machine_.insert(machine_.end(), figures.begin(), figures.end());
  if (database_) database_->StoreMachine(run_, machine_);
}

bool Recorder::StoreKnownMachine() {
  if (!database_) return false;
  const std::vector<MachineFigure> known = database_->FindMachine(run_);
  if (!known.empty()) StoreMachine(known);
  return !known.empty();
}

void Recorder::StoreInterventions(StoredLaunch launch, std::span<const InterventionRecord> interventions) {
  if (launch) database_->StoreInterventions(*launch, interventions);
}

void Recorder::Warn(const Warning& warning, std::string_view about, StoredLaunch launch) {
  const std::string whose = about.empty() ? "" : fmt::format("{}: ", about);
  const std::string said = whose + warning.code + warning.text;
  if (printed_.insert(said).second)
    std::fprintf(stderr, "culprit: warning: %s%s\n", whose.c_str(), warning.text.c_str());
  if (database_ && warned_.emplace(launch, said).second) database_->StoreWarning(run_, launch, warning);
}

void Recorder::Finish() {
  if (database_) database_->FinishRun(run_);
}

}  // namespace culprit
