// SPDX-License-Identifier: Apache-2.0
// The words of a report, explained below it: a page reaches people who have never seen the program.
#pragma once
#include <ostream>
#include <string>
#include <string_view>

#include "analysis/render/report.h"

namespace culprit {

// Those that reports of this kind use.
void RenderWords(const Report& report, std::ostream& out);

// ` title="..."`: what a metric counts, or what warps of a state wait for; empty for any other word.
std::string MeaningTitle(std::string_view word);

}  // namespace culprit
