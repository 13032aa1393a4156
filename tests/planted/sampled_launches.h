// SPDX-License-Identifier: Apache-2.0
// The launches of a database that were sampled, with what their samples cost.
#pragma once
#include <optional>
#include <vector>

#include "analysis/judge/blame/costs.h"
#include "db/database.h"

namespace culprit::testing {

struct SampledLaunch {
  KernelRecord record;
  // Exact counts of the launch's instructions; if it was only sampled, those of the same code at the same size in
  // another run.
  std::vector<InstructionRecord> counted;
  // The launch with counters: itself, or one of the same code at the same size in another run.
  std::optional<KernelRecord> counters;
  KernelCosts costs;
};

// By run, then by size.
std::vector<SampledLaunch> SampledLaunches(const Database& database);

}  // namespace culprit::testing
