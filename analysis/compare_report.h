// SPDX-License-Identifier: Apache-2.0
// Two kernels side by side (`culprit compare`).
#pragma once
#include "analysis/report.h"
#include "db/database.h"

namespace culprit {

Report MakeCompareReport(const KernelRecord& base, const KernelRecord& candidate);

}  // namespace culprit
