// SPDX-License-Identifier: Apache-2.0
// Conditions under which times of two runs can be compared.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

// A sentence that says why times of the two runs cannot be compared: different GPUs, also two of one model, or an L2
// cache that was flushed in only one. Empty: they can. `other_gpu`: GPUs may differ. Runs whose GPU has no known UUID
// are compared if the models are equal, and traces of other tools if neither names its GPU.
std::string WhyNotComparable(const RunRecord& base, const RunRecord& candidate, bool other_gpu = false);

// "--other-gpu" and its help, for commands that take it.
inline constexpr const char* kOtherGpu = "--other-gpu";
inline constexpr const char* kOtherGpuHelp = "also compare runs on different GPUs";

// Differences besides the code that may change times, one sentence each.
std::vector<std::string> Differences(const RunSummary& base, const RunSummary& candidate);

}  // namespace culprit
