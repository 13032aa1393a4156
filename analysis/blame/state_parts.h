// SPDX-License-Identifier: Apache-2.0
// What the samples of a kernel tell apart within the states that its counters count: see asynchronous.h.
#pragma once
#include "analysis/blame/costs.h"
#include "analysis/kernel/warp_states.h"

namespace culprit {

StateParts PartsOf(const KernelCosts& kernel);

}  // namespace culprit
