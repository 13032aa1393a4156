// SPDX-License-Identifier: Apache-2.0
// `culprit_evidence reproduce` as a report.
#pragma once
#include <string>
#include <vector>

#include "analysis/show/render/report.h"
#include "tests/support/recording.h"

namespace culprit {

// `name`: one table; empty: all of them. Throws culprit::Error for an unknown table.
Report MakeReproduceReport(const Recording& recording, const std::string& name, bool wide,
                           const std::vector<Warning>& warnings);

}  // namespace culprit
