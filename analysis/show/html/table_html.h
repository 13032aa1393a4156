// SPDX-License-Identifier: Apache-2.0
// Tables and charts of a page. All input must be printable already.
#pragma once
#include <map>
#include <ostream>
#include <string>

#include "analysis/show/render/report.h"

namespace culprit {

// The evidence for a row, by the text of its first cell. A page shows it at each number of the row.
using RestsOn = std::map<std::string, std::string, std::less<>>;
// Adds the chart's column `evidence`.
void AddRestsOn(const Chart& chart, RestsOn& rests_on);

// Leaves out columns and rows that people do not see.
void RenderHtmlTable(const ReportTable& table, const RestsOn& rests_on, std::ostream& out);

// Writes title, caption, the numbers for the script that draws them, and a table of the same numbers.
void RenderHtmlChart(const Chart& chart, std::ostream& out);

// "waterfall"
std::string_view ToText(ChartKind kind);

}  // namespace culprit
