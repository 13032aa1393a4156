// SPDX-License-Identifier: Apache-2.0
// The top of every report: what was recorded, on which GPU, when, and under which conditions.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/render/report.h"
#include "db/database.h"

namespace culprit {

// Of a run's warnings those that concern no launch of it, and those of the launches that a report shows, named as
// Warning::launch names them. OfTheRun: no launch's. AtShape: of launches at `shape`, "4096x4096x4096".
std::vector<Warning> OfLaunches(std::vector<Warning> warnings,
                                const std::function<bool(const std::string& launch)>& shown);
std::vector<Warning> OfTheRun(std::vector<Warning> warnings);
std::vector<Warning> AtShape(std::vector<Warning> warnings, std::string_view shape);

// Fills context, identity and warnings.
void AddRunHeader(const RunSummary& run, const std::vector<Warning>& warnings, Report& report);

// The warnings of a kernel that is shown beside another, whose launch may have the same name in another run.
std::vector<Warning> WarningsBeside(const KernelRecord& kernel, const KernelRecord& other);

// Adds those that are not there yet.
void AddWarnings(const std::vector<Warning>& warnings, Report& report);

// For a line about a run: '01234567 "label"'; "NVIDIA H100 80GB HBM3"; "code 0123456789ab with local changes", or "".
std::string RunName(const RunRecord& run);
std::string GpuName(const RunRecord& run);
std::string CodeText(const RunRecord& run);

// Whose figures a program's run has, as the database calls it: "record"; empty for a benchmark of ours.
std::string SourceName(const RunRecord& run);

// How to get what a machine without a GPU could not measure.
std::string HowToMeasure();

}  // namespace culprit
