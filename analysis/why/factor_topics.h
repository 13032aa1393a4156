// SPDX-License-Identifier: Apache-2.0
// What authors change one factor for: which cause a factor's value brings about or keeps away.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/factor_change.h"

namespace culprit {

// Causes that the change takes the ground from: the value it leaves is one that can bring the cause about, and the
// value it reaches is one that does not. Empty for factors that nothing is known about.
std::vector<std::string_view> CausesRemovedBy(const FactorChange& change);
// The same of the change the other way round.
std::vector<std::string_view> CausesAddedBy(const FactorChange& change);

}  // namespace culprit
