// SPDX-License-Identifier: Apache-2.0
// Pictures of programs.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/program/program_why.h"
#include "analysis/render/report.h"
#include "db/database.h"

namespace culprit {

// `names`: of the parts, as the report calls them.
std::vector<Chart> ProgramWhyCharts(const ProgramExplanation& explanation, std::span<const std::string> names);
// Kernels and copies of one run, the largest first. None where none has a time.
std::optional<Chart> ProgramChart(std::span<const KernelRecord* const> kernels, std::span<const ProgramCopy> copies,
                                  std::string section);

}  // namespace culprit
