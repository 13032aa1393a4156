// SPDX-License-Identifier: Apache-2.0
// Draws which lane accesses which bank in which wavefront. There is a line per wavefront and a column per bank, and the
// cells have lane numbers.
#pragma once
#include <string>
#include <vector>

#include "analysis/banks/bank_model.h"
#include "analysis/show/render/report.h"

namespace culprit {

// `cost` is Model(access). A wavefront caused by a conflict starts with '!'. Each group of four neighbouring lanes has
// a colour.
Drawing DrawBanks(const SharedAccess& access, const BankCost& cost);

// "0-3,8,16,17"; lanes must be ascending.
std::string LaneRanges(const std::vector<int>& lanes);

}  // namespace culprit
