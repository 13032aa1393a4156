// SPDX-License-Identifier: Apache-2.0
// The top of every report: what was recorded, on which GPU, when, and under which conditions.
#pragma once
#include <string>
#include <vector>

#include "analysis/report.h"
#include "db/database.h"

namespace culprit {

// Fills context and identity.
void AddRunHeader(const RunSummary& run, Report& report);

std::vector<std::string> WarningLines(const std::vector<Warning>& warnings);

// "3f2a91bc": enough to name a run.
std::string ShortUuid(const RunRecord& run);

// How to get what a machine without a GPU could not measure.
std::string HowToMeasure();

}  // namespace culprit
