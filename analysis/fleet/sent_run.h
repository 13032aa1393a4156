// SPDX-License-Identifier: Apache-2.0
// What `culprit push` sends of a run: its kernels' times and counters as rows, and how they compare with a base.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/judge/why/counterfactual.h"
#include "db/database.h"
#include "db/fleet/fleet.h"

namespace culprit {

struct SentRun {
  FleetRun run;                       // its readings are those of `kernels`
  std::vector<KernelRecord> kernels;  // one for each of run.kernels; without launches that failed or were not timed
};

// The checksum of all that a complete run holds; empty for one of before there were any.
std::string ContentOf(const Database& database, RunId run);

// All but the archive and the verdicts. `branch`: of its commit; empty: not known.
SentRun MakeSentRun(const Database& database, const RunSummary& run, const std::string& branch);

// Stores in each kernel's verdict how it compares with the launch of the base that is the same work. Kernels that are
// slower or faster get their first cause, those that changed most first, at most kMostCausesSent. If both runs are on
// different cards, launches of the same code are not judged, because cards differ.
inline constexpr std::size_t kMostCausesSent = 50;
void JudgeAgainst(SentRun& sent, std::span<const KernelRecord> base, const Neighbours& neighbours);

// The 95 % interval of the median, whatever the shape of the scatter: two order statistics, as many from either end as
// the binomial distribution allows (Conover, "Practical Nonparametric Statistics", 3rd ed., 3.2). None for fewer than 6
// values. `sorted`: ascending.
struct MedianRange {
  double low = 0, high = 0;
};
std::optional<MedianRange> MedianInterval(std::span<const double> sorted);

}  // namespace culprit
