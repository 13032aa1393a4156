// SPDX-License-Identifier: Apache-2.0
// What text and JSON say alike of a pair: where it was measured, which warnings concern it, which parts come first.
#pragma once
#include <string>
#include <vector>

#include "analysis/render/report.h"
#include "analysis/split/decompose.h"
#include "analysis/verdict/verdict.h"
#include "db/database.h"

namespace culprit {

std::string GpuOf(const KernelRecord& kernel);  // "" when recorded without one

// For programs: which two launches these are.
std::vector<Fact> PairIdentity(const KernelRecord& base, const KernelRecord& candidate);

// "Slower", in red, and so on.
Banner BannerOf(Speed speed);

// Of the runs, and of these two launches of them; once each.
std::vector<std::string> WarningsOf(const KernelRecord& base, const KernelRecord& candidate);

// Of two that are as fast.
inline constexpr const char* kNothingToExplain =
    "There is nothing to explain; --all shows where the time went nevertheless.";

// By |difference|.
std::vector<StallDifference> LargestFirst(std::vector<StallDifference> stalls);

// Both recordings, or the one that the two share.
Section RecordedSection(const KernelRecord& base, const KernelRecord& candidate);

}  // namespace culprit
