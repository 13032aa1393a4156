// SPDX-License-Identifier: Apache-2.0
// `culprit reproduce` as a report.
#pragma once
#include <string>
#include <vector>

#include "analysis/kernel/recording.h"
#include "analysis/render/report.h"

namespace culprit {

// `name` empty: all of them. Throws culprit::Error for a table that does not exist.
Report MakeReproduceReport(const Recording& recording, const std::string& name, bool wide,
                           const std::vector<Warning>& warnings);

}  // namespace culprit
