// SPDX-License-Identifier: Apache-2.0
// Counts by opcode, which ncu prints with --print-metric-instances details.
#pragma once
#include <optional>
#include <string_view>

#include "bench/foreign/ncu_number.h"
#include "bench/program/counters_of_opcodes.h"

namespace culprit {

// Columns: of executions by warps, and of threads that no predicate switched off.
inline constexpr std::string_view kExecutedByOpcode = "sass__inst_executed_per_opcode_with_modifier_all";
inline constexpr std::string_view kThreadsByOpcode = "sass__thread_inst_executed_true_per_opcode_with_modifier_all";

// Reads "9,216 (IMAD.WIDE: 5,120; LEA: 4,096)". None if there is no list, if an entry is not an opcode and its count, or
// if the counts do not add up to the total before the list.
std::optional<OpcodeCounts> NcuOpcodeCounts(std::string_view text, Thousands thousands);

}  // namespace culprit
