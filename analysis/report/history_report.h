// SPDX-License-Identifier: Apache-2.0
// `culprit history`.
#pragma once
#include "analysis/gate/history.h"
#include "analysis/render/report.h"

namespace culprit {

Report MakeHistoryReport(const History& history);

}  // namespace culprit
