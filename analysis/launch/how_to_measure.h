// SPDX-License-Identifier: Apache-2.0
// Commands that would measure what a report lacks.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

// Whether the run comes from `source`.
bool IsFrom(const RunRecord& run, ProgramSource source);

// Nsight Compute's names, for GPUs of this compute capability, of all metrics that causes and rules use. In
// alphabetical order. Leaves out metrics that Nsight Compute does not sum over a kernel.
std::vector<std::string> NcuMetricNames(int cc_major, int cc_minor);

// A command line of Nsight Compute that also counts the metrics missing from these launches. Empty when no metric is
// missing, or when a launch was not profiled by Nsight Compute.
std::string NcuCommand(std::span<const KernelRecord* const> kernels);

// How to count the instructions of a kernel one by one, as "they need ...".
std::string_view WhatCountsExactly(const RunRecord& run);  // "--profile=full" | "culprit record -k NAME"

// The same of counters, with the kernel and its program: "culprit record -k gather_rows -- ./train".
std::string WhatCounts(const KernelRecord& kernel);

// Whether the launch is of a recorded program, and none of its calls was replayed, which counts more than samples do.
bool WasOnlySampled(const KernelRecord& kernel);

// A phrase with the one command that measures what neither run asked for, for both launches: "record both with culprit
// record -k gather_rows -- ./train", "culprit versus -- ./old -- ./new".
std::string HowToMeasure(const KernelRecord& base, const KernelRecord& candidate);

}  // namespace culprit
