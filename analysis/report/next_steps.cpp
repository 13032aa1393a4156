// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/next_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/kernel/recording.h"

namespace culprit {

NextSteps NextStepsOf(const KernelRecord& base, const KernelRecord& candidate) {
  NextSteps steps;
  // Where a stage states no addresses nothing is known of its lanes.
  if (!candidate.stage.shared_accesses.empty())
    steps.bank_map = fmt::format("; which lane meets which bank: culprit banks {} --run {}", candidate.stage.id,
                                 ShortUuid(candidate.run.run));
  // Only a benchmark of ours launches a kernel with other shared memory than it asks for.
  const auto can = [](const KernelRecord& kernel) {
    return !kernel.run.run.program && kernel.run.run.profile != "full";
  };
  if (can(base) || can(candidate)) steps.fewer_warps = " (--profile=full does)";
  return steps;
}

std::string InItsRun(const KernelRecord& kernel) {
  return fmt::format("{}@{}", kernel.stage.id, ShortUuid(kernel.run.run));
}

}  // namespace culprit
