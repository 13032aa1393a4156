// SPDX-License-Identifier: Apache-2.0
// Where in the source a cause is: the lines whose counted instructions make it.
#pragma once
#include <span>

#include "analysis/why/explain.h"
#include "db/database.h"

namespace culprit {

// Three lines per cause, those where most was counted first, and all where as much was counted as at the first, of the
// kernel that has more of the cause: the candidate where it cost time, the base where it no longer does; lines of the
// toolkit's headers, which the compiler inlined, behind all others. The kernel itself comes first where nothing was
// counted by instruction, the cause is no single line's, or only the toolkit's lines are known. Records and
// instructions are those of the launches.
void AddSources(const KernelRecord& base, std::span<const InstructionRecord> base_instructions,
                const KernelRecord& candidate, std::span<const InstructionRecord> candidate_instructions,
                Explanation& explanation);

}  // namespace culprit
