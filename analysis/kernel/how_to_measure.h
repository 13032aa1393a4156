// SPDX-License-Identifier: Apache-2.0
// The command that would measure what a report misses.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

// Whether another tool's report, or ours of a program, is where the run came from.
bool IsFrom(const RunRecord& run, ProgramSource source);

// Every metric that causes and rules are judged by, as Nsight Compute names them on GPUs of a compute capability, in
// alphabetical order; of what it sums over no kernel there is none.
std::vector<std::string> NcuMetricNames(int cc_major, int cc_minor);

// Of launches that Nsight Compute profiled: its command line that counts also what one of them lacks. Empty where they
// lack nothing, and where one of them comes from elsewhere.
std::string NcuCommand(std::span<const KernelRecord* const> kernels);

// What reads exact counts of both, by instruction; empty where nothing more than was done can be recommended.
std::string HowToCountExactly(const RunRecord& base, const RunRecord& candidate);

// Order and repetitions do not matter.
struct Needs {
  std::vector<std::string> stages;
  std::vector<int> sizes;  // M = N = K
};

// "gemm_bench --profile=full --stages v1_6,v1_7 --shapes 4096 --db FILE"
std::string MeasuringCommand(Needs needs);

}  // namespace culprit
