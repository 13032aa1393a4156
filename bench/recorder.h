// SPDX-License-Identifier: Apache-2.0
// What a measuring process knows of the database: a run that is open, and jobs that go into it. Without a database
// every call does nothing, so that the phases need not ask.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "bench/job.h"

namespace culprit {

class Recorder {
 public:
  Recorder() = default;
  // Opens `options.db` and begins a run.
  Recorder(const BenchOptions& options, std::optional<Device> device, int argc, char** argv);

  void StoreStage(const Job& job);                                   // once per stage; later calls do nothing
  void StoreLaunch(Job& job, std::span<const Sample> samples = {});  // sets job.stored
  void StoreReadings(const Job& job, std::span<const Reading> readings);
  void StoreRepeats(const Job& job, std::span<const std::vector<Reading>> repetitions);     // after the readings
  void StoreInstructions(const Job& job, std::span<const InstructionRecord> instructions);  // after the readings
  // Each warning is printed and stored once; `job` when it concerns one launch.
  void Warn(const Warning& warning, const Job* job = nullptr);
  void Finish();

  bool active() const { return database_.has_value(); }

 private:
  std::optional<Database> database_;
  RunId run_ = 0;
  std::set<std::string> stages_;
  std::set<std::string> warned_;
};

}  // namespace culprit
