// SPDX-License-Identifier: Apache-2.0
// Tables of launches, for people; and everything about each, for programs (docs/json.md).
#pragma once
#include <string>
#include <vector>

#include "analysis/gate/check.h"
#include "analysis/render/report.h"

namespace culprit {

// Regressions or improvements with times, change and leading causes, those that changed most first.
ReportTable ChangedTable(const Check& check, Judgement judgement);
// Launches that pass although a slow-down beyond the limit is not excluded, with how large it may be; the largest
// first.
ReportTable NotExcludedTable(const Check& check);
// Every launch in one line.
ReportTable AllTable(const Check& check);

// launches, causes: for programs alone.
std::vector<ReportTable> ProgramTables(const Check& check);

// Of the candidate's median over the base's: what follows from the two times that stand beside it. The verdict rests on
// the interval of CheckedLaunch::Change, which is of all samples.
Measured ChangeOfMediansPct(const CheckedLaunch& launch);

// Those of NotExcludedTable, in its order.
std::vector<const CheckedLaunch*> NotExcluded(const Check& check);
// Launches of a judgement, those that changed most first.
std::vector<const CheckedLaunch*> LaunchesWith(const Check& check, Judgement judgement);

}  // namespace culprit
