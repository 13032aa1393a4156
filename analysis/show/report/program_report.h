// SPDX-License-Identifier: Apache-2.0
// A recorded program's kernels by share of GPU time (`culprit report`), and one launch of a kernel in it (`culprit
// show`).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/show/render/report.h"
#include "db/database.h"

namespace culprit {

// For a run with RunRecord::program. `kernels`: all launches with all ordinals.
Report MakeProgramReport(const RunSummary& run, std::span<const KernelRecord> kernels,
                         const std::vector<Warning>& warnings);

// For a kernel with KernelRecord::program. One line: "100 calls, 86.5 % of the GPU's time, in step #/forward".
std::string InTheProgram(const KernelRecord& kernel);
Section MakeProgramSection(const KernelRecord& kernel);

// Adds all launches of the kernel in that run, most time first, and how to show them; nothing when there is only one.
void AddLaunches(const KernelRecord& shown, std::span<const KernelRecord> launches, Report& report);

}  // namespace culprit
