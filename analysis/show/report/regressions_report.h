// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>

#include "analysis/fleet/regressions.h"
#include "analysis/show/render/report.h"

namespace culprit {

// `culprit regressions`: one line each, the dearest first.
Report MakeRegressionsReport(const Regressions& regressions);

// For continuous integration, as RenderCheckSarif and others are.
void RenderRegressionsSarif(const Regressions& regressions, std::ostream& out);
void RenderRegressionsJunit(const Regressions& regressions, std::ostream& out);
void RenderRegressionsGithub(const Regressions& regressions, std::ostream& out);

}  // namespace culprit
