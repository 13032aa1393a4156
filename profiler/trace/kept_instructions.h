// SPDX-License-Identifier: Apache-2.0
// Chooses the instructions that a recording stores. The database accepts all.
#pragma once
#include <span>
#include <vector>

#include "db/records.h"

namespace culprit {

// Keeps all counts of instructions that access memory or that not all lanes of a warp execute. Of block barriers it
// keeps only the executions. All other instructions would make up most of the file and have no count but executions.
std::vector<InstructionRecord> KeptInstructions(std::span<const InstructionRecord> counted);

}  // namespace culprit
