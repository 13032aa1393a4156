// SPDX-License-Identifier: Apache-2.0
// What a report says of the gain that removing a finding's cause would bring.
#pragma once
#include "analysis/causes/findings.h"
#include "analysis/render/report.h"

namespace culprit {

// Adds the estimate, its assumption and its error to the item of a finding: for programs as Item::gain, for people as a
// line of its own. Nothing where there is no estimate.
void AddGain(const KernelView& kernel, const Finding& finding, Item& item);

}  // namespace culprit
