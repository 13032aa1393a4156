// SPDX-License-Identifier: Apache-2.0
// `culprit versus` runs an old and a new program in turns and compares them.
#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "analysis/cli/command.h"

namespace culprit {

struct Versus : ReportOptions {
  std::string old_program, new_program;
  std::vector<std::string> words;  // the words after --
  std::vector<std::string> labels;
  std::string processes = "8..32", max_slowdown, profile;  // max_slowdown, profile: empty is this kind's default
  std::string capture;                                     // of programs, as `culprit record` takes it
  int budget_s = 0;                                        // 0: the default
};

// The old and the new program, each with its arguments.
using VersusPrograms = std::array<std::vector<std::string>, 2>;

// The smallest and the largest number of processes per side.
std::pair<int, int> ParseProcesses(const std::string& text);

// The values of --label, or `usual`. Throws culprit::Error if they are not two different names.
std::array<std::string, 2> LabelsOf(const Versus& args, const std::array<std::string, 2>& usual);

// Benchmarks are linked to culprit::workload. They record by themselves and name their kernels.
bool IsBenchmark(const std::string& program);
void RunBenchmarks(const Versus& args, const VersusPrograms& programs, Streams& streams);

// Other programs are recorded from outside, execution by execution, until it is clear whether one is slower.
void RunPrograms(const Versus& args, const VersusPrograms& programs, Streams& streams);

}  // namespace culprit
