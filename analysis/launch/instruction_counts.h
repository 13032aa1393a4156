// SPDX-License-Identifier: Apache-2.0
// Exact counts of one machine instruction.
#pragma once
#include <optional>
#include <string>

#include "db/records.h"

namespace culprit {

// None if this was not counted, or if `instruction` is null.
inline std::optional<double> Counted(const InstructionRecord* instruction, const std::string& id) {
  if (instruction == nullptr) return std::nullopt;
  const auto found = instruction->counts.find(id);
  return found == instruction->counts.end() ? std::nullopt : std::optional(found->second);
}

// The count per execution by a warp.
inline std::optional<double> CountedEach(const InstructionRecord* instruction, const std::string& id) {
  const std::optional<double> executed = Counted(instruction, "sass_inst"), counted = Counted(instruction, id);
  return executed && counted && *executed > 0 ? std::optional(*counted / *executed) : std::nullopt;
}

// 0 when the instruction has no such count, because counts of 0 are not stored.
inline double CountOf(const InstructionRecord& instruction, const std::string& id) {
  return Counted(&instruction, id).value_or(0);
}

}  // namespace culprit
