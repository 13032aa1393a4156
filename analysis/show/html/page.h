// SPDX-License-Identifier: Apache-2.0
// Renders a report as one HTML file that needs no network and no other file. Without scripts it is still complete,
// because every chart's numbers are also in a table.
#pragma once
#include <ostream>

#include "analysis/show/render/report.h"
#include "db/embedded_text.h"

namespace culprit {

struct PageParts {
  EmbeddedText style = {}, script = {};  // our style.css and page.js
  EmbeddedText charts = {};              // the bundle made by script/web; empty: no charts, and the page says so
};
// The parts built into this program.
PageParts BuiltPageParts();

void RenderPage(const Report& report, std::ostream& out, const PageParts& parts);

}  // namespace culprit
