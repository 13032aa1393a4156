// SPDX-License-Identifier: Apache-2.0
// Two kernels side by side (`culprit compare`).
#pragma once
#include "analysis/render/report.h"
#include "db/database.h"

namespace culprit {

// People see metrics that did not change (IsUnchanged) as one line, or with `all` like the others; JSON and CSV always
// have all of them.
Report MakeCompareReport(const KernelRecord& base, const KernelRecord& candidate, bool all = false);

}  // namespace culprit
