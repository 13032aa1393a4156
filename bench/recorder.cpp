// SPDX-License-Identifier: Apache-2.0
#include "bench/recorder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <random>

#include "bench/build_info.h"
#include "bench/command_line.h"
#include "profiler/device_info.h"

namespace culprit {
namespace {

// RFC 4122, version 4: 122 random bits.
std::string NewUuid() {
  std::random_device random;
  std::array<unsigned, 4> w{random(), random(), random(), random()};
  w[1] = (w[1] & 0xffff0fffu) | 0x00004000u;  // version
  w[2] = (w[2] & 0x3fffffffu) | 0x80000000u;  // variant
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", w[0], w[1] >> 16, w[1] & 0xffffu, w[2] >> 16,
                     w[2] & 0xffffu, w[3]);
}

std::string NowUtc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::string_view ProfileText(const std::optional<MetricSet>& profile) {
  if (!profile) return "none";
  return *profile == MetricSet::kFull ? "full" : "core";
}

}  // namespace

Recorder::Recorder(const BenchOptions& options, std::optional<Device> device, int argc, char** argv) {
  database_ = Database::OpenForRecording(options.db);
  RunRecord run;
  run.uuid = NewUuid();
  run.started_utc = NowUtc();
  run.label = options.label;
  run.command_line = CommandLine(argc, argv);
  run.profile = ProfileText(options.profile);
  run.l2 = options.l2 == CacheState::kFlush ? "flush" : "hot";
  run.seed = options.seed;
  run.git_sha = kGitSha;
  run.git_dirty = kGitDirty;
  run.device = std::move(device);
  run.toolchain = CurrentToolchain();
  run_ = database_->BeginRun(run);
}

void Recorder::StoreStage(const Job& job) {
  if (!database_ || !stages_.insert(job.workload.id).second) return;
  database_->StoreStage(run_, StageOf(job.workload), BuildsOf(job));
}

void Recorder::StoreLaunch(Job& job, std::span<const Sample> samples) {
  if (!database_) return;
  StoreStage(job);
  job.stored = database_->StoreLaunch(run_, job.record, samples);
}

void Recorder::StoreReadings(const Job& job, std::span<const Reading> readings) {
  if (database_ && job.stored) database_->StoreReadings(*job.stored, readings);
}

void Recorder::StoreRepeats(const Job& job, std::span<const std::vector<Reading>> repetitions) {
  if (database_ && job.stored) database_->StoreRepeats(*job.stored, repetitions);
}

void Recorder::StoreInstructions(const Job& job, std::span<const InstructionRecord> instructions) {
  if (database_ && job.stored) database_->StoreInstructions(*job.stored, instructions);
}

void Recorder::Warn(const Warning& warning, const Job* job) {
  const std::string about = job == nullptr ? "" : job->Name() + ": ";
  if (!warned_.insert(about + warning.code + warning.text).second) return;
  std::fprintf(stderr, "culprit: warning: %s%s\n", about.c_str(), warning.text.c_str());
  if (database_) database_->StoreWarning(run_, job == nullptr ? std::nullopt : job->stored, warning);
}

void Recorder::Finish() {
  if (database_) database_->FinishRun(run_);
}

}  // namespace culprit
