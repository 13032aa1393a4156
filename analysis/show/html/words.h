// SPDX-License-Identifier: Apache-2.0
// A glossary below a report, because readers of a page may not know culprit.
#pragma once
#include <ostream>
#include <string>
#include <string_view>

#include "analysis/show/render/report.h"

namespace culprit {

// Explains the terms that this kind of report uses.
void RenderWords(const Report& report, std::ostream& out);

// ` title="..."` with the meaning of a metric or warp state; empty for any other word.
std::string MeaningTitle(std::string_view word);

}  // namespace culprit
