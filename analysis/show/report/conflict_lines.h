// SPDX-License-Identifier: Apache-2.0
// Source lines with bank conflicts, from exact counts per instruction.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/show/render/report.h"
#include "db/records.h"

namespace culprit {

// Instructions of one operation on one source line.
struct ConflictLine {
  std::string file;  // empty: no line information
  int line = 0;
  std::string op;  // as in the view shared_instruction: "ld" | "st" | "ldsm" | "stsm" | "ldgsts" | "other"
  int instructions = 0;
  double executed = 0;  // by warps; each execution is one request
  double wavefronts = 0, wavefronts_ideal = 0;
  double Excess() const { return wavefronts - wavefronts_ideal; }
};

// Every line with accesses for which wavefronts and ideal wavefronts were counted. Sorted by excess wavefronts, then by
// file, line and operation. The numbers are those of the query conflict_lines, plus lines without conflicts.
std::vector<ConflictLine> ConflictLines(std::span<const InstructionRecord> instructions);

// None when no shared-memory access was counted by instruction.
std::optional<Section> MakeConflictLinesSection(std::span<const InstructionRecord> instructions);

// Adds that section after the memory section, if the report has one.
void AddConflictLines(std::span<const InstructionRecord> instructions, Report& report);

}  // namespace culprit
