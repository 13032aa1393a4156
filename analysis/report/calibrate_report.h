// SPDX-License-Identifier: Apache-2.0
// `culprit calibrate`, and docs/calibration.md, which is its output.
#pragma once
#include <span>

#include "analysis/gate/calibrate.h"
#include "analysis/render/report.h"
#include "db/database.h"

namespace culprit {

// `wide`: with the assumptions, and the notes that a document needs.
Report MakeCalibrationReport(const Calibration& calibration, std::span<const RunSummary> runs, bool wide);

}  // namespace culprit
