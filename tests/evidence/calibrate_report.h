// SPDX-License-Identifier: Apache-2.0
// `culprit_evidence calibrate`, and docs/evidence/calibration.md, which is its output.
#pragma once
#include <span>

#include "analysis/show/render/report.h"
#include "db/database.h"
#include "tests/evidence/calibrate.h"

namespace culprit {

// `wide`: includes the assumptions and notes that a document needs.
Report MakeCalibrationReport(const Calibration& calibration, std::span<const RunSummary> runs, bool wide);

}  // namespace culprit
