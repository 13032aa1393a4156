// SPDX-License-Identifier: Apache-2.0
// Parts that text and JSON of `why` share: where a pair was measured, its warnings, the order of parts.
#pragma once
#include <string>
#include <vector>

#include "analysis/judge/difference/decompose.h"
#include "analysis/judge/difference/verdict.h"
#include "analysis/show/render/report.h"
#include "db/database.h"

namespace culprit {

std::string GpuOf(const KernelRecord& kernel);  // "" when recorded without a GPU

// "KERNEL@RUN", which names a kernel in any command.
std::string InItsRun(const KernelRecord& kernel);

// For programs: identifies both launches.
std::vector<Fact> PairIdentity(const KernelRecord& base, const KernelRecord& candidate);

// "Slower" is red, for example.
Banner BannerOf(Speed speed);

// Warnings of the runs and of these two launches, each once.
std::vector<std::string> WarningsOf(const KernelRecord& base, const KernelRecord& candidate);

// Used if both kernels are equally fast.
inline constexpr const char* kNothingToExplain =
    "There is nothing to explain; --all shows where the time went nevertheless.";

// Sorted by |difference|.
std::vector<StallDifference> LargestFirst(std::vector<StallDifference> stalls);

// The section on the recordings of both kernels, which may be the same one.
Section RecordedSection(const KernelRecord& base, const KernelRecord& candidate);

}  // namespace culprit
