// SPDX-License-Identifier: Apache-2.0
// Reports that other tools wrote, as runs of ours. What they do not have is not measured; what they have and cannot be
// read is an Error that names the file and the line or the field.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

enum class ForeignKind {
  kNone,      // an export of ours
  kUnknown,   // another text
  kDatabase,  // an SQLite file: ours, or another program's
  kNcuFile,   // Nsight Compute's own file, which only ncu reads
  kBinary,    // another file that is no text: Nsight Systems' own, a program
  kNcuCsv,    // what `ncu --csv` prints
  kJson,      // of some tool: ReadForeign says whose, or refuses it
};

// By content alone.
ForeignKind KindOf(std::string_view text);

// What a reader is given beside the text.
struct ForeignFile {
  std::string name;              // what messages call it
  std::filesystem::path folder;  // where files that it names lie
  std::string modified_utc;      // when it began, where the report does not say: "2026-11-21T00:25:46Z"
  std::string label;             // of the run
};

struct ForeignLaunch {
  LaunchRecord launch;
  ProgramLaunch program;
  std::vector<Sample> samples = {};
  // Of each profiled execution; empty where nothing was counted.
  std::vector<std::vector<Reading>> counted = {};
};

struct ForeignReport {
  RunRecord run;  // with a program, whose source says who measured
  std::vector<StageRecord> stages;
  std::vector<ForeignLaunch> launches;  // equal stages and shapes have ordinals 0, 1, ...
  std::vector<Warning> warnings;        // of the run
};

// Throws culprit::Error for what is none, or is damaged.
ForeignReport ReadForeign(std::string_view text, const ForeignFile& file);

// The same report as SQL text that Database::Import takes.
std::string AsExport(const ForeignReport& report);

}  // namespace culprit
