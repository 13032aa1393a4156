// SPDX-License-Identifier: Apache-2.0
// Why a kernel's wavefronts are what they are, in sentences made of values: published ones, exact counts, and what the
// bank model says of the addresses that the stage states of itself.
#pragma once
#include <string>
#include <vector>

#include "analysis/kernel/recording.h"

namespace culprit {

// One sentence per kind of instruction for which enough is known; none otherwise.
std::vector<std::string> ExplainWavefronts(const Recording& recording, const KernelView& kernel);

}  // namespace culprit
