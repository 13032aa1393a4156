// SPDX-License-Identifier: Apache-2.0
// What a recorded program did on its GPUs: its kernels by their part of the time (`culprit report`), and what one
// launch of it stands for (`culprit show`).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/render/report.h"
#include "db/database.h"

namespace culprit {

// Of a run that has RunRecord::program. `kernels`: all launches, whatever their ordinals.
Report MakeProgramReport(const RunSummary& run, std::span<const KernelRecord> kernels,
                         const std::vector<Warning>& warnings);

// Of a kernel that has KernelRecord::program. One line: "100 calls, 86.5 % of the GPU's time, in step #/forward".
std::string InTheProgram(const KernelRecord& kernel);
Section MakeProgramSection(const KernelRecord& kernel);

// One of the launches that a program's kernel has in a run.
struct LaunchOfKernel {
  LaunchId id = 0;
  LaunchRecord launch;  // its shape, number, geometry
  ProgramLaunch program;
};
// What the others are, most time first, and how to see them. Only of several.
Section MakeLaunchesSection(const KernelRecord& shown, std::span<const LaunchOfKernel> launches);

}  // namespace culprit
