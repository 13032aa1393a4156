// SPDX-License-Identifier: Apache-2.0
// A report as one file for a browser: no network, nothing beside it. Without its script, or where none may run, the
// page is whole as well: every chart's numbers stand in a table.
#pragma once
#include <ostream>
#include <string_view>

#include "analysis/render/report.h"

namespace culprit {

struct PageParts {
  std::string_view style, script;  // of ours: page.css, page.js
  std::string_view charts;         // the bundle that script/web makes; empty: charts are left out, and the page says so
};
// As they were built into this program.
PageParts BuiltPageParts();

void RenderPage(const Report& report, std::ostream& out, const PageParts& parts);

}  // namespace culprit
