// SPDX-License-Identifier: Apache-2.0
// Tables that people do not see: what JSON and CSV have of a study and of a check alike (docs/json.md).
#pragma once
#include <string>
#include <vector>

#include "analysis/render/report.h"
#include "analysis/why/explain.h"

namespace culprit {

ReportTable ForPrograms(ReportTable table);
ReportTable TableForPrograms(std::string key, std::vector<std::string> columns);

// `of`: the columns that name what was explained. One row per cause follows from AddCauses, where `of` has the values.
ReportTable CauseTableForPrograms(std::vector<std::string> of);
void AddCauses(const std::vector<Cell>& of, const Explanation& explanation, ReportTable& table);

}  // namespace culprit
