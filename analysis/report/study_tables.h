// SPDX-License-Identifier: Apache-2.0
// The numbers of a study: what programs read (docs/json.md), and the sums that people read as well.
#pragma once
#include <vector>

#include "analysis/gate/study.h"
#include "analysis/render/report.h"

namespace culprit {

// Of the candidate's time over the base's; missing without both.
Measured ChangePct(const StudyEdge& edge);

// For programs alone: stages, edges, changes; and causes of every edge.
std::vector<ReportTable> StepTables(const Study& study);
ReportTable AllCauses(const Study& study);

ReportTable TotalTable(const ChainTotal& total);

}  // namespace culprit
