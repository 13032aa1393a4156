// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "analysis/gate/check.h"
#include "analysis/render/report.h"

namespace culprit {

// As Markdown it is the summary of a pull request: a headline, what to look at, and the rest folded away.
// `base_warnings`, `candidate_warnings`: all of these runs; those of launches that are folded away are left out.
Report MakeCheckReport(const Check& check, std::span<const Warning> base_warnings,
                       std::span<const Warning> candidate_warnings);

}  // namespace culprit
