// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include "analysis/gate/study.h"
#include "analysis/render/report.h"

namespace culprit {

// `warnings`: those of the run and of the launches that the study shows.
// `left_out`: larger shapes than those studied and why, one sentence each.
Report MakeStudyReport(const Study& study, const RunSummary& run, std::span<const Warning> warnings,
                       std::span<const std::string> left_out);

}  // namespace culprit
