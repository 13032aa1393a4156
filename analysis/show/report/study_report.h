// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include "analysis/gate/study.h"
#include "analysis/show/render/report.h"

namespace culprit {

// `warnings`: those of the run and of the launches that the study shows.
// `left_out`: one sentence per larger shape that was not chosen, with the reason.
Report MakeStudyReport(const Study& study, const RunSummary& run, std::span<const Warning> warnings,
                       std::span<const std::string> left_out);

}  // namespace culprit
