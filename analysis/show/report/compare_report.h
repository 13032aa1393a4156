// SPDX-License-Identifier: Apache-2.0
// Two kernels side by side (`culprit why --metrics`).
#pragma once
#include "analysis/show/render/report.h"
#include "db/database.h"

namespace culprit {

// Unchanged metrics (IsUnchanged) share one line; with `all`, each has its own. JSON and CSV always have all metrics.
Report MakeCompareReport(const KernelRecord& base, const KernelRecord& candidate, bool all = false);

}  // namespace culprit
