// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "analysis/fleet/trend.h"
#include "analysis/show/render/report.h"

namespace culprit {

// `culprit history --db postgresql://...`
Report MakeTrendReport(const Trend& trend);

// --- phrases that the report of regressions shares ---
// "0123456789ab..fedcba987654", or the days of both runs where no commit is known.
std::string CommitsText(const FleetRunSummary& before, const FleetRunSummary& after);
// "+5.1 % (+4.0 % .. +6.2 %)"
std::string ChangeText(const Step& step);
// "register_spills (91 %)", "moved from a, b" or "why is not known".
std::string ReasonText(const TrendStep& step);
// "softmax at 128x1x1 in step/forward"
std::string ClassText(const FleetClass& of);

}  // namespace culprit
