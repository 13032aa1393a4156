// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "analysis/report.h"
#include "analysis/study/study.h"

namespace culprit {

// `warnings`: those of the run and of the launches that the study shows.
Report MakeStudyReport(const Study& study, const RunSummary& run, std::span<const Warning> warnings);

}  // namespace culprit
