// SPDX-License-Identifier: Apache-2.0
// How much of a difference is in the ends of two launches, by the phases of sampled counters (analysis/timeline/tail.h).
#pragma once
#include <optional>
#include <span>
#include <string>

#include "analysis/judge/difference/verdict.h"
#include "analysis/launch/machine.h"
#include "analysis/timeline/tail.h"
#include "db/database.h"
#include "db/timeline.h"

namespace culprit {

struct PhaseDifference {
  struct Side {
    double time_us = 0;  // of a launch, median
    Tail tail;
    int sm_count = 0;  // of the GPU
    double TailUs() const { return tail.share * time_us; }
    double BeforeUs() const { return time_us - TailUs(); }
  };
  Side base, candidate;
  double before_delta_us = 0;
  double before_error_us = 0;  // one standard deviation of it, with the noise between two recordings
  // Of the time before the tails. Same: they do not differ by more than twice the error, and this is small against the
  // whole difference. Ambiguous: the error is larger.
  Speed before = Speed::kAmbiguous;
  // "The candidate's last 40.0 us run on 12 of 132 SMs; the base has no such tail. Before it, the candidate is as fast
  // as the base: ..." Empty: neither has a tail worth a sentence.
  std::string text;
};

// None: one of the two has no profiles, or their errors are too large to tell where its tail begins.
// `floor`: of the two, as their verdict has it.
std::optional<PhaseDifference> ComparePhases(const KernelRecord& base, std::span<const PhaseProfile> of_base,
                                             const KernelRecord& candidate, std::span<const PhaseProfile> of_candidate,
                                             const NoiseFloor& floor);

}  // namespace culprit
