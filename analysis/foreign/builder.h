// SPDX-License-Identifier: Apache-2.0
// What the readers of reports share: the run, its stages and what may stand in them.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/foreign/report.h"

namespace culprit {

// A report whose run is of `source`. Its UUID is a function of `content` alone: the same file makes the same run,
// wherever and whenever it is read.
ForeignReport NewForeignReport(ProgramSource source, std::string_view content, const ForeignFile& file);

class ForeignBuilder {
 public:
  explicit ForeignBuilder(ForeignReport& report) : report_(report) {}
  // Adds a launch, which has no samples yet, gives it its ordinal, and adds its stage where that is new. `idea`: the
  // stage's name for people. The reference is valid until the next call.
  ForeignLaunch& Add(const std::string& stage, std::string_view idea, LaunchRecord launch);

 private:
  ForeignReport& report_;
  std::map<std::pair<std::string, std::string>, int> ordinals_;  // by stage and shape
  std::map<std::string, std::size_t, std::less<>> stages_;
};

// The name of a benchmark as a stage id: letters, digits and '_' stay, and where anything else was a hash tells it from
// others.
std::string BenchmarkStageId(std::string_view name);

// At no known clock.
Sample SampleOf(double time_us, int repetition = 0);

// Text of a report as it may be stored: no NUL, at most 4 MB.
std::string Storable(std::string_view text);

// Whether it can be a time of a sample, in microseconds: what is stored has a range.
bool IsStorableTime(double us);

// "2026-11-21T00:25:46Z" of ISO 8601 with an offset ("2026-11-21T01:25:46+01:00"); empty where it is none.
std::string UtcOf(std::string_view iso);

}  // namespace culprit
