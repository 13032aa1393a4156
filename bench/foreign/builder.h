// SPDX-License-Identifier: Apache-2.0
// Shared by the readers of reports: builds the run and its stages from valid values.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "bench/foreign/report.h"

namespace culprit {

// A report whose run is of `source`. Its UUID is a function of `content` alone: the same file makes the same run,
// wherever and whenever it is read.
ForeignReport NewForeignReport(ProgramSource source, std::string_view content, const ForeignFile& file);

class ForeignBuilder {
 public:
  explicit ForeignBuilder(ForeignReport& report) : report_(report) {}
  // Adds a launch, which has no samples yet, and its stage if it is new. `idea`: the stage's name for people. The
  // reference is valid until the next call.
  ForeignLaunch& Add(const std::string& stage, std::string_view idea, LaunchRecord launch);
  // The same for a benchmark with one set of parameters, and its samples. Stage and kernel have the benchmark's `name`.
  ForeignLaunch& AddBenchmark(const std::string& name, LaunchRecord launch, std::vector<Sample> samples);

 private:
  ForeignReport& report_;
  std::map<std::string, std::size_t, std::less<>> stages_;
};

// A benchmark's name as a stage id: keeps letters, digits and '_'; if it dropped anything, appends a hash.
std::string BenchmarkStageId(std::string_view name);

// A sample without a known clock.
Sample SampleOf(double time_us, int repetition = 0);

// Makes text of a report storable: without NUL, at most 4 MB.
std::string Storable(std::string_view text);

// Whether the database accepts this sample time.
bool IsStorableTime(double us);

// Converts an ISO 8601 time with an offset ("2026-11-21T01:25:46+01:00") to "2026-11-21T00:25:46Z". Empty if `iso` is
// no such time.
std::string UtcOf(std::string_view iso);

}  // namespace culprit
