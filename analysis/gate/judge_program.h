// SPDX-License-Identifier: Apache-2.0
// The launches of two programs, and their work as a whole, for check.cpp.
#pragma once
#include <span>

#include "analysis/gate/check.h"
#include "analysis/judge/program/match.h"

namespace culprit {

// Programs change what they launch: that is told, and `culprit why` says what it costs.
CheckedLaunch JudgeMatched(std::span<const KernelRecord> base, std::span<const KernelRecord> candidate,
                           const MatchedLaunches& match, double limit, const Explainer& explain);

// With the time of new and gone kernels.
CheckedWork JudgeTheWhole(const WorkVerdict& verdict, double limit, std::span<const KernelRecord> base,
                          std::span<const KernelRecord> candidate, std::span<const MatchedLaunches> matches);

}  // namespace culprit
