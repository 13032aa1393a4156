// SPDX-License-Identifier: Apache-2.0
// The report of `culprit why` on two runs of a program.
#pragma once
#include <span>

#include "analysis/judge/program/program_why.h"
#include "analysis/show/render/report.h"

namespace culprit {

// `base_warnings`, `candidate_warnings`: those of the two explained runs.
Report MakeProgramWhyReport(const ProgramExplanation& explanation, std::span<const Warning> base_warnings,
                            std::span<const Warning> candidate_warnings);

}  // namespace culprit
