// SPDX-License-Identifier: Apache-2.0
// Which lane gets which bank in which wavefront, drawn: a line per wavefront, a column per bank, lane numbers in the
// cells.
#pragma once
#include <string>
#include <vector>

#include "analysis/banks/bank_model.h"
#include "analysis/render/report.h"

namespace culprit {

// `cost` is Model(access). A wavefront that only a conflict makes necessary starts with '!'. Lanes have the colour of
// their four neighbours.
Drawing DrawBanks(const SharedAccess& access, const BankCost& cost);

// "0-3,8,16,17" for lanes in ascending order.
std::string LaneRanges(const std::vector<int>& lanes);

}  // namespace culprit
