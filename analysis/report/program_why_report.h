// SPDX-License-Identifier: Apache-2.0
// `culprit why` of two runs of a program.
#pragma once
#include <span>

#include "analysis/program/program_why.h"
#include "analysis/render/report.h"

namespace culprit {

// `base_warnings`, `candidate_warnings`: of the two runs that are explained.
Report MakeProgramWhyReport(const ProgramExplanation& explanation, std::span<const Warning> base_warnings,
                            std::span<const Warning> candidate_warnings);

}  // namespace culprit
