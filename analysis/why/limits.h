// SPDX-License-Identifier: Apache-2.0
// What bounds the part of a cause, whatever the stalls say: evidence of its own that moved, and what taking it away
// could give.
#pragma once
#include "analysis/causes/cause.h"
#include "analysis/causes/demand.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/number/range.h"

namespace culprit {

// Whether a metric that only this cause moves did move in the direction of `sign` (+1: the candidate has more of the
// cause): presence is not change. 1: it did; 0: none did; between them: one that could tell was not measured.
Range EvidenceMoved(const Cause& cause, const KernelView& base, const KernelView& candidate, int sign);

// The share of its time that a kernel could lose at most if the cause were taken away: 1 - that of the busiest unit
// which the cause does not load itself. A unit is busy as its counted work over what it serves in the elapsed cycles.
Range MostShare(const Cause& cause, const KernelView& kernel, const Demand& demand);

}  // namespace culprit
