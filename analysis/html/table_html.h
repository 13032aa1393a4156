// SPDX-License-Identifier: Apache-2.0
// Tables and charts of a page. All of it takes what is printable already.
#pragma once
#include <map>
#include <ostream>
#include <string>

#include "analysis/render/report.h"

namespace culprit {

// What the numbers of a row rest on, by the text of its first cell: a page says it of each number in it.
using RestsOn = std::map<std::string, std::string, std::less<>>;
// A chart's column `evidence`.
void AddRestsOn(const Chart& chart, RestsOn& rests_on);

// Without columns for programs; the rows that people see.
void RenderHtmlTable(const ReportTable& table, const RestsOn& rests_on, std::ostream& out);

// Title, caption, the numbers for the script that draws them, and a table of the same.
void RenderHtmlChart(const Chart& chart, std::ostream& out);

// "waterfall"
std::string_view ToText(ChartKind kind);

}  // namespace culprit
