// SPDX-License-Identifier: Apache-2.0
// Tables of launches for people, and tables with all data for programs (docs/json.md).
#pragma once
#include <string>
#include <vector>

#include "analysis/gate/check.h"
#include "analysis/show/render/report.h"

namespace culprit {

// Regressions or improvements with times, change and largest causes, in the order of Check::launches.
ReportTable ChangedTable(const Check& check, Judgement judgement);
// Launches that pass although a slow-down beyond the limit is possible, with the size that it may have. The largest
// comes first.
ReportTable NotExcludedTable(const Check& check);
// One line per launch.
ReportTable AllTable(const Check& check);

// The tables launches and causes, only for programs.
std::vector<ReportTable> ProgramTables(const Check& check);

// Candidate's median / base's median. It belongs to the two medians beside it. The verdict uses CheckedLaunch::Change
// instead, which comes from all samples.
Measured ChangeOfMediansPct(const CheckedLaunch& launch);

// The launches of NotExcludedTable, in its order.
std::vector<const CheckedLaunch*> NotExcluded(const Check& check);
// Launches with a judgement, in the order of Check::launches: the largest cost or gain first.
std::vector<const CheckedLaunch*> LaunchesWith(const Check& check, Judgement judgement);

}  // namespace culprit
