// SPDX-License-Identifier: Apache-2.0
// The top of every report: what was recorded, on which GPU, when and under which conditions.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/show/render/report.h"
#include "db/database.h"

namespace culprit {

// Filters a run's warnings. OfTheRun keeps those that belong to no launch. OfLaunches also keeps those of the launches
// that a report shows (`shown`, by Warning::launch). AtShape also keeps those of launches at `shape`, "4096x4096x4096".
std::vector<Warning> OfLaunches(std::vector<Warning> warnings,
                                const std::function<bool(const std::string& launch)>& shown);
std::vector<Warning> OfTheRun(std::vector<Warning> warnings);
std::vector<Warning> AtShape(std::vector<Warning> warnings, std::string_view shape);

// Fills context, identity and warnings.
void AddRunHeader(const RunSummary& run, const std::vector<Warning>& warnings, Report& report);

// The warnings of a kernel that is shown beside another. Launches of two runs may have the same name, so the warnings
// name their run.
std::vector<Warning> WarningsBeside(const KernelRecord& kernel, const KernelRecord& other);

// Adds warnings that are not there yet.
void AddWarnings(const std::vector<Warning>& warnings, Report& report);

// Parts of a line about a run: '01234567 "label"'; "NVIDIA H100 80GB HBM3"; "code 0123456789ab with local changes" or
// "".
std::string RunName(const RunRecord& run);
std::string GpuName(const RunRecord& run);
std::string CodeText(const RunRecord& run);

// The source of a program's run in the database: "record"; empty for one of our benchmarks.
std::string SourceName(const RunRecord& run);

// How to measure a run that was recorded without a GPU.
std::string HowToMeasure();

}  // namespace culprit
