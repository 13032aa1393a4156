// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "analysis/check/check.h"
#include "analysis/report.h"

namespace culprit {

// As Markdown it is the summary of a pull request: a headline, what to look at, and the rest folded away.
// `warnings`: of the candidate run.
Report MakeCheckReport(const Check& check, std::span<const Warning> warnings);

}  // namespace culprit
