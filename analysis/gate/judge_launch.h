// SPDX-License-Identifier: Apache-2.0
// One launch of a base run against one of a candidate run, by itself. What other launches say of it: check.cpp.
#pragma once
#include <string>

#include "analysis/gate/check.h"

namespace culprit {

// `above`: the estimate is above the limit; `excluded`: the interval ends below it.
Judgement JudgementOf(Speed speed, bool above, bool excluded);

// Null: that run has no such launch. One of the two is there.
CheckedLaunch JudgeLaunch(const KernelRecord* base, const KernelRecord* candidate, double limit,
                          const Explainer& explain);

// With the names and the source of the launch, and not yet judged.
CheckedLaunch NewLaunch(const KernelRecord* base, const KernelRecord* candidate, Judgement judgement);

// One sentence if a time in either run is no positive, finite number; else empty.
std::string WhyNotTrusted(const KernelRecord& base, const KernelRecord& candidate);

}  // namespace culprit
