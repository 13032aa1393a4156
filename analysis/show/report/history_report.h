// SPDX-License-Identifier: Apache-2.0
// The report of `culprit history`.
#pragma once
#include "analysis/gate/history.h"
#include "analysis/show/render/report.h"

namespace culprit {

Report MakeHistoryReport(const History& history);

}  // namespace culprit
