// SPDX-License-Identifier: Apache-2.0
// Which instructions are worth their place in a recording: the database takes any.
#pragma once
#include <span>
#include <vector>

#include "db/records.h"

namespace culprit {

// Those that touch memory and those that not all lanes of a warp carry out, as they are, and the barriers of a block,
// with their executions alone. Others have no more to say than how often they ran, and would make up most of the file.
std::vector<InstructionRecord> KeptInstructions(std::span<const InstructionRecord> counted);

}  // namespace culprit
