// SPDX-License-Identifier: Apache-2.0
// Conditions under which times of two runs can be compared.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

// A sentence that says why times of the two runs cannot be compared: different GPUs, or an L2 cache that was flushed in
// only one. Empty: they can.
std::string WhyNotComparable(const RunRecord& base, const RunRecord& candidate);

// Differences besides the code that may change times, one sentence each.
std::vector<std::string> Differences(const RunSummary& base, const RunSummary& candidate);

}  // namespace culprit
