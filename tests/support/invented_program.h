// SPDX-License-Identifier: Apache-2.0
// Runs of programs for tests of what compares them. Every number is invented; none was measured.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"
#include "tests/support/kernel_builder.h"

namespace culprit::testing {

// All launches of a kernel with one grid: `calls` of them, each `us` long within 0.1 %, without clocks, as a recorded
// program has them. Counters and code are those of `like`.
KernelRecord ProgramKernel(const std::string& name, long calls, double us, unsigned grid_x = 16,
                           const KernelBuilder& like = Quiet());

// A run of a program: what it launched in the order of `kernels`, after one another.
struct InventedProgram {
  RunRecord run;
  std::vector<KernelRecord> kernels;
  double idle_us = 0;

  // `number` tells runs apart: UUID and start.
  InventedProgram(int number, std::string label, std::string command_line = "python scripts/train.py --steps 40");
  InventedProgram& Launch(KernelRecord kernel);
  InventedProgram& Copy(CopyKind kind, long calls, double us);
  // With what follows from the kernels: order, ordinals, span.
  RunSummary Summary();
  RunId Write(Database& database);
};

// "before" and "after": softmax_kernel became what v1_6 is to v1_7 in invented_study.h, an addition is called twice as
// often at one of its two grids, a transposition is new and a permutation gone, more is copied and the GPU idles less.
InventedProgram ProgramBefore();
InventedProgram ProgramAfter();
void WriteProgramDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
