// SPDX-License-Identifier: Apache-2.0
// Reports that other tools wrote, as runs of ours. A missing value is "not measured". An unreadable value is an Error
// that names the file and the line or field.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"
#include "db/versions.h"
#include "profiler/trace/trace.h"

namespace culprit {

enum class ForeignKind {
  kNone,      // our own export
  kUnknown,   // another text
  kDatabase,  // an SQLite file, ours or another program's
  kNcuFile,   // Nsight Compute's own file, which only ncu reads
  kBinary,    // another file that is no text: Nsight Systems' own file, a program
  kNcuCsv,    // the output of `ncu --csv`
  kJson,      // a tool's JSON; ReadForeign recognises the tool or refuses the file
};

// Looks only at the content.
ForeignKind KindOf(std::string_view text);

// The reader's input besides the text.
struct ForeignFile {
  std::string name;              // its name in messages
  std::filesystem::path folder;  // the folder of other files that it names
  std::string modified_utc;      // the start time if the report does not state one: "2026-11-21T00:25:46Z"
  std::string label;             // the run's label
};

struct ForeignLaunch {
  LaunchRecord launch;
  ProgramLaunch program;
  std::vector<Sample> samples = {};
  // The readings of each profiled execution; empty: nothing was counted.
  std::vector<std::vector<Reading>> counted = {};
};

struct ForeignReport {
  RunRecord run;  // its `program` names the tool that measured
  std::vector<StageRecord> stages;
  std::vector<ForeignLaunch> launches;
  std::vector<Warning> warnings;  // of the run
  // A trace of a whole program has these instead of stages and launches: one of each process.
  std::vector<ProcessTrace> traces = {};
  std::vector<LibraryVersion> versions = {};  // of what the program had loaded, by name, as far as the trace says
};

// Throws culprit::Error if it is not a report, or is damaged.
ForeignReport ReadForeign(std::string_view text, const ForeignFile& file);

// The same report as SQL text that Database::Import takes.
std::string AsExport(const ForeignReport& report);

}  // namespace culprit
