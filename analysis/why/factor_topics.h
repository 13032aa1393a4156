// SPDX-License-Identifier: Apache-2.0
// Which cause a factor's value brings about or keeps away, and which factors authors change for one cause alone.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/kernel/factor_change.h"

namespace culprit {

struct FactorTopic {
  std::string_view cause;
  bool made_for_it;  // padding against bank conflicts; false where the factor touches much else, as unrolling does
};

// Causes that the change takes the ground from: the value it leaves is one that can bring the cause about, and the
// value it reaches is one that does not. Empty for factors that nothing is known about.
std::vector<FactorTopic> CausesRemovedBy(const FactorChange& change);
// The same of the change the other way round.
std::vector<FactorTopic> CausesAddedBy(const FactorChange& change);

}  // namespace culprit
