// SPDX-License-Identifier: Apache-2.0
// One list per group of causes; rules.cpp joins them.
#pragma once
#include <vector>

#include "analysis/causes/gain.h"

namespace culprit {

std::vector<GainRule> MemoryGainRules();
std::vector<GainRule> ExecutionGainRules();

}  // namespace culprit
