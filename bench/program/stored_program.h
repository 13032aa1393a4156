// SPDX-License-Identifier: Apache-2.0
// The run of a recorded program in a database, with one launch for each class. Every execution adds results to it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/program/timed_program.h"
#include "bench/run_writer.h"
#include "profiler/trace/trace.h"

namespace culprit {

// The counts of a class.
struct ClassCounts {
  std::vector<std::vector<Reading>> repetitions;
  std::string not_counted;  // why there are no counts
};

// For each class, the counts of the launches in its NVTX range. If there are none, those of all launches of its kernel
// and geometry. `missing`: the reason for missing counters, if no launch gives one.
std::vector<ClassCounts> MatchCounts(const TimedProgram& timed, std::span<const ProcessTrace> counted,
                                     const std::string& missing);

struct AddedSamples {
  std::int64_t stored = 0;
  std::int64_t of_no_kernel = 0;  // in functions that kernels call and that the compiler did not inline
};

class StoredProgram {
 public:
  // Begins the run and stores the times. `run` has the label, the command and the start. `not_counted`: for each class,
  // why it will have no counters; empty if it may have some, or if none are wanted. The database must outlive this
  // object.
  StoredProgram(Database& database, const RunRecord& run, TimedProgram timed, std::vector<std::string> not_counted);

  const TimedProgram& timed() const { return timed_; }

  // Adds counters of the classes. A class without counters keeps the reason from the constructor.
  void AddCounts(std::span<const ProcessTrace> traces, const std::string& missing);
  // Adds exact counts (TraceMode::kExact). Each class has those of its first counted launch. False: there are none.
  bool AddExactCounts(std::span<const ProcessTrace> traces);
  // Adds samples of instructions (TraceMode::kSample) of all processes. Sampling does not distinguish launches of a
  // kernel, so the class with the most time gets all samples of its kernel.
  AddedSamples AddSamples(std::span<const ProcessTrace> traces);
  // Stores each warning once.
  void Warn(const Warning& warning);
  void StoreVersions(std::span<const LibraryVersion> versions) { writer_.StoreVersions(versions); }
  // Adds the warnings of a later execution.
  void AddTime(double wall_us);

  // Stores the record of the whole program. Call it after a phase that changed it.
  void EndPhase() { writer_.StoreProgram(timed_.program); }
  void Finish(const std::string& finished_utc = {}) { writer_.Finish(finished_utc); }

 private:
  void StoreStage(const ProgramKernel& kernel);
  void StoreCountersOf(const SamplingRecord& sampling, std::size_t index, std::int64_t calls);

  RunWriter writer_;
  TimedProgram timed_;
  std::vector<std::string> not_counted_;        // by class
  std::vector<StoredLaunch> launches_;          // by class
  std::vector<std::vector<Reading>> replayed_;  // by class; empty: it was not replayed
};

}  // namespace culprit
