// SPDX-License-Identifier: Apache-2.0
// Replayed counters are those of a few launches; sampled ones are means over all launches of a kernel. If the launches
// differ in their work, the few are scaled to the mean of all.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"

namespace culprit {

class LaunchWeights {
 public:
  // Finds the totals that were both sampled and replayed: instructions, warp-cycles, wavefronts of shared memory, sectors
  // at L1. If one of them differs by more than a tenth and by more than three errors, replayed metrics
  // are scaled. Traffic of L2 and of device memory does not decide, because it also depends on what the caches held.
  explicit LaunchWeights(const KernelRecord& kernel);

  bool AreScaled() const { return scaled_; }
  // The factor for a metric of a replayed launch. It is sampled / replayed of the metric itself if its sampled value is
  // precise; else of the total that counts the same thing (shared_... by shared_wavefronts, stall_... by warps_active,
  // ...); else of instructions. Exact counts come from a launch of their own and are scaled by its instructions. 1: not
  // scaled, because no total differs, because it was sampled, or because it is a ratio.
  double FactorOf(const MetricDefinition& metric) const;
  // The same for what was counted instruction by instruction.
  double OfExact() const { return of_exact_; }

 private:
  std::optional<double> FactorOfTotal(std::string_view id) const;

  bool scaled_ = false;
  double of_exact_ = 1;
  std::map<std::string, double, std::less<>> totals_;  // precise ones, sampled / replayed
};

}  // namespace culprit
