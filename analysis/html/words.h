// SPDX-License-Identifier: Apache-2.0
// The words of a report, explained below it: a page reaches people who have never seen the program.
#pragma once
#include <ostream>

#include "analysis/render/report.h"

namespace culprit {

// Those that reports of this kind use.
void RenderWords(const Report& report, std::ostream& out);

}  // namespace culprit
