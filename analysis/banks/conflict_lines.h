// SPDX-License-Identifier: Apache-2.0
// Which source lines collide in shared memory: exact counts of single instructions, gathered by line.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/render/report.h"
#include "db/records.h"

namespace culprit {

// The instructions of one kind on one source line.
struct ConflictLine {
  std::string file;  // empty: no line information
  int line = 0;
  std::string op;  // as in the view shared_instruction: "ld" | "st" | "ldsm" | "stsm" | "ldgsts" | "other"
  int instructions = 0;
  double executed = 0;  // by a warp; each is one request
  double wavefronts = 0, wavefronts_ideal = 0;
  double Excess() const { return wavefronts - wavefronts_ideal; }
};

// Every line with an access of which both wavefronts and ideal wavefronts were counted; most excess wavefronts first,
// then by file, line and operation. The same figures as the query conflict_lines, and the lines without conflicts.
std::vector<ConflictLine> ConflictLines(std::span<const InstructionRecord> instructions);

// None when no access to shared memory was counted by instruction.
std::optional<Section> MakeConflictLinesSection(std::span<const InstructionRecord> instructions);

// Adds that section behind the one of memory, where the report has one.
void AddConflictLines(std::span<const InstructionRecord> instructions, Report& report);

}  // namespace culprit
