// SPDX-License-Identifier: Apache-2.0
// How much of something a kernel does for each warp instruction of useful work: the ratio that tiling is there to
// lower.
#pragma once
#include <optional>
#include <string>

#include "analysis/kernel/kernel_view.h"

namespace culprit {

// count / FFMA warp instructions. nullopt for a kernel that is about something else, with FFMA in less than a tenth of
// its instructions, or where one of the two was not counted.
std::optional<double> PerFfma(const KernelView& kernel, double count);

// ", 2.000 for every FFMA instruction where 0.250 would keep pace with the FFMA lanes"; the pace is left out where the
// ratio keeps it, and the clause is empty where there is no ratio.
// For what an SM does once per cycle: a load or store enters the LSU, a wavefront passes shared memory (sgemm_naive on
// the recorded H100 run: 0.70 global loads per SM and cycle are lsu_pipe_pct 70.9 %). In that cycle the lanes finish
// lanes / 32 FFMA instructions, 4 on an SM with 128 of them.
std::string PerFfmaClause(const KernelView& kernel, double count);

}  // namespace culprit
