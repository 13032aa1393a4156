// SPDX-License-Identifier: Apache-2.0
// What two runs must have in common before their times are held against one another.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

// Why times of the two cannot be compared, one sentence; empty: they can. Not on different GPUs, and not with the L2
// cache flushed in one of them only.
std::string WhyNotComparable(const RunRecord& base, const RunRecord& candidate);

// What differs besides the code and may move times, one sentence each.
std::vector<std::string> Differences(const RunSummary& base, const RunSummary& candidate);

}  // namespace culprit
