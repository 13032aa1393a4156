// SPDX-License-Identifier: Apache-2.0
// Explains a kernel's wavefronts in sentences with published values, exact counts, and the bank model's result for the
// addresses that the stage declares.
#pragma once
#include <string>
#include <vector>

#include "tests/support/recording.h"

namespace culprit {

// One sentence per kind of instruction, if enough is known.
std::vector<std::string> ExplainWavefronts(const Recording& recording, const KernelView& kernel);

}  // namespace culprit
