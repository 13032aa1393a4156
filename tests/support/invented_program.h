// SPDX-License-Identifier: Apache-2.0
// Runs of programs, for tests of comparisons. Every number is invented; none was measured.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"
#include "tests/support/kernel_builder.h"

namespace culprit::testing {

// `calls` launches of a kernel with one grid. Each takes `us` within 0.1 % and has no clock, as in a recorded program.
// Counters and code are those of `like`.
KernelRecord ProgramKernel(const std::string& name, long calls, double us, unsigned grid_x = 16,
                           const KernelBuilder& like = Quiet());

// A run of a program. It launched the `kernels` one after another.
struct InventedProgram {
  RunRecord run;
  std::vector<KernelRecord> kernels;
  double idle_us = 0;

  // UUID and start follow from `number`, so each run needs its own.
  InventedProgram(int number, std::string label, std::string command_line = "python scripts/train.py --steps 40");
  InventedProgram& Launch(KernelRecord kernel);
  InventedProgram& Copy(CopyKind kind, long calls, double us);
  // Fills in what follows from the kernels: order, ordinals, span.
  RunSummary Summary();
  RunId Write(Database& database);
};

// "before" and "after". softmax_kernel changed from v1_7 to v1_6 of invented_study.h. An addition is called twice as
// often at one of its two grids. A transposition is new, and a permutation is gone. More is copied, and the GPU is idle
// for less time.
InventedProgram ProgramBefore();
InventedProgram ProgramAfter();
void WriteProgramDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
